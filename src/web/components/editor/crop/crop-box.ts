/** A rectangle in a picture, in the picture's pixels. */
export type Box = { x: number; y: number; width: number; height: number };
export type Size = { width: number; height: number };
/** The dragged side or corner, such as "n" or "se"; "move" drags the whole rectangle. */
export type Handle = "move" | "n" | "e" | "s" | "w" | "ne" | "se" | "sw" | "nw";

const clamp = (value: number, least: number, most: number) =>
  Math.min(most, Math.max(least, value));

/** Clamps a rectangle to the picture, in whole pixels, never empty. */
export function fitBox(box: Box, picture: Size): Box {
  const width = clamp(Math.round(box.width), 1, picture.width);
  const height = clamp(Math.round(box.height), 1, picture.height);
  return {
    width,
    height,
    x: clamp(Math.round(box.x), 0, picture.width - width),
    y: clamp(Math.round(box.y), 0, picture.height - height),
  };
}

/** The rectangle after a handle is dragged by dx and dy; the opposite side stays in place. */
export function dragBox(box: Box, handle: Handle, dx: number, dy: number, picture: Size): Box {
  if (handle === "move") return fitBox({ ...box, x: box.x + dx, y: box.y + dy }, picture);
  let { x: left, y: top } = box;
  let right = left + box.width;
  let bottom = top + box.height;
  if (handle.includes("w")) left = clamp(left + dx, 0, right - 1);
  if (handle.includes("e")) right = clamp(right + dx, left + 1, picture.width);
  if (handle.includes("n")) top = clamp(top + dy, 0, bottom - 1);
  if (handle.includes("s")) bottom = clamp(bottom + dy, top + 1, picture.height);
  return fitBox({ x: left, y: top, width: right - left, height: bottom - top }, picture);
}

/** The rectangle between two points of the picture. */
export function boxBetween(
  a: { x: number; y: number },
  b: { x: number; y: number },
  picture: Size,
): Box {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)].map((x) =>
    clamp(x, 0, picture.width),
  ) as [number, number];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)].map((y) =>
    clamp(y, 0, picture.height),
  ) as [number, number];
  return fitBox({ x: left, y: top, width: right - left, height: bottom - top }, picture);
}

/** A rectangle of this ratio with the same center: as wide as before, or as the picture allows. */
export function boxOfRatio(box: Box, ratio: number, picture: Size): Box {
  const width = Math.min(box.width, picture.width, picture.height * ratio);
  const height = width / ratio;
  const x = box.x + (box.width - width) / 2;
  const y = box.y + (box.height - height) / 2;
  return fitBox({ x, y, width, height }, picture);
}

/**
 * Like `dragBox`, with the ratio kept. The opposite corner, or the center of the opposite side,
 * stays in place.
 */
export function dragBoxOfRatio(
  box: Box,
  handle: Handle,
  dx: number,
  dy: number,
  picture: Size,
  ratio: number,
): Box {
  const free = dragBox(box, handle, dx, dy, picture);
  if (handle === "move") return free;
  const isLeft = handle.includes("w");
  const isRight = handle.includes("e");
  const isTop = handle.includes("n");
  const isBottom = handle.includes("s");
  const fixedX = isLeft ? box.x + box.width : isRight ? box.x : box.x + box.width / 2;
  const fixedY = isTop ? box.y + box.height : isBottom ? box.y : box.y + box.height / 2;
  const byWidth = (isLeft || isRight) && dx !== 0 ? free.width : 0;
  const byHeight = (isTop || isBottom) && dy !== 0 ? free.height * ratio : 0;
  const wanted = Math.max(byWidth, byHeight) || box.width;
  const roomX = isLeft
    ? fixedX
    : isRight
      ? picture.width - fixedX
      : 2 * Math.min(fixedX, picture.width - fixedX);
  const roomY = isTop
    ? fixedY
    : isBottom
      ? picture.height - fixedY
      : 2 * Math.min(fixedY, picture.height - fixedY);
  const width = Math.max(1, Math.min(wanted, roomX, roomY * ratio));
  const height = width / ratio;
  return fitBox(
    {
      x: isLeft ? fixedX - width : isRight ? fixedX : fixedX - width / 2,
      y: isTop ? fixedY - height : isBottom ? fixedY : fixedY - height / 2,
      width,
      height,
    },
    picture,
  );
}

/** Whether a rectangle in whole pixels has the ratio. */
export const hasRatio = ({ width, height }: Size, ratio: number): boolean =>
  Math.abs(width - height * ratio) <= Math.max(1, ratio);
