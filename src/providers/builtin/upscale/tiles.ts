/**
 * A piece of a picture: the network's input (with its surroundings) and the part of it that is
 * kept. In pixels of the source.
 */
export type Tile = {
  left: number;
  top: number;
  width: number;
  height: number;
  /** The kept part, relative to the whole picture. */
  kept: { left: number; top: number; width: number; height: number };
};

/**
 * Cuts a picture into tiles whose kept parts cover it exactly once. Each includes `margin` pixels
 * around its kept part where the picture has them. With a margin of at least the network's reach,
 * the result equals processing the picture in one piece.
 */
export function cutTiles(width: number, height: number, maxKept: number, margin: number): Tile[] {
  const tiles: Tile[] = [];
  const [columns, rows] = [Math.ceil(width / maxKept), Math.ceil(height / maxKept)];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      // Even shares, instead of a thin remainder at the right and the bottom.
      const [keptLeft, keptTop] = [
        Math.floor((column * width) / columns),
        Math.floor((row * height) / rows),
      ];
      const [keptRight, keptBottom] = [
        Math.floor(((column + 1) * width) / columns),
        Math.floor(((row + 1) * height) / rows),
      ];
      const [left, top] = [Math.max(0, keptLeft - margin), Math.max(0, keptTop - margin)];
      const [right, bottom] = [
        Math.min(width, keptRight + margin),
        Math.min(height, keptBottom + margin),
      ];
      const kept = {
        left: keptLeft,
        top: keptTop,
        width: keptRight - keptLeft,
        height: keptBottom - keptTop,
      };
      tiles.push({ left, top, width: right - left, height: bottom - top, kept });
    }
  }
  return tiles;
}
