/**
 * A picture that is rotated about its center before it is cropped, like a straightened photo.
 * Lengths are in pixels.
 */
type Size = { width: number; height: number };
type Box = Size & { x: number; y: number };

/** Larger angles are turned by a quarter first. */
export const straightenMost = 45;

const turnOf = (degrees: number) => {
  const angle = (degrees * Math.PI) / 180;
  return { cos: Math.cos(angle), sin: Math.sin(angle) };
};

/**
 * The bounding box of a rotated picture, including its empty corners. Rectangles are relative to
 * it.
 */
export function rotatedSize({ width, height }: Size, degrees: number): Size {
  const { cos, sin } = turnOf(degrees);
  return {
    width: Math.round(width * Math.abs(cos) + height * Math.abs(sin)),
    height: Math.round(width * Math.abs(sin) + height * Math.abs(cos)),
  };
}

/** Rounding to whole pixels moves a corner outside by less than this. */
const tolerance = 1;

/**
 * A rectangle of the bounding box, measured along the sides of the picture: its center from the
 * picture's center, and half of its extent.
 */
export function alongPicture(box: Box, picture: Size, degrees: number) {
  const area = rotatedSize(picture, degrees);
  const { cos, sin } = turnOf(degrees);
  const [halfWidth, halfHeight] = [box.width / 2, box.height / 2];
  const x = box.x + halfWidth - area.width / 2;
  const y = box.y + halfHeight - area.height / 2;
  const [c, s] = [Math.abs(cos), Math.abs(sin)];
  return {
    across: x * cos + y * sin,
    down: y * cos - x * sin,
    halfAcross: halfWidth * c + halfHeight * s,
    halfDown: halfWidth * s + halfHeight * c,
  };
}

/** Whether a rectangle of the bounding box contains only the picture. */
export function isInRotated(box: Box, picture: Size, degrees: number): boolean {
  const { across, down, halfAcross, halfDown } = alongPicture(box, picture, degrees);
  return (
    Math.abs(across) + halfAcross <= picture.width / 2 + tolerance &&
    Math.abs(down) + halfDown <= picture.height / 2 + tolerance
  );
}

/** Where a place goes that is measured from the center of the rotation. */
export function rotatedPlace(across: number, down: number, degrees: number) {
  const { cos, sin } = turnOf(degrees);
  return { x: across * cos - down * sin, y: across * sin + down * cos };
}

/** The largest centered rectangle of a ratio in a rotated picture. */
export function largestInRotated(picture: Size, degrees: number, ratio: number): Box {
  const area = rotatedSize(picture, degrees);
  const { cos, sin } = turnOf(degrees);
  const [c, s] = [Math.abs(cos), Math.abs(sin)];
  const height = Math.min(picture.width / (ratio * c + s), picture.height / (ratio * s + c));
  const [wide, tall] = [
    Math.max(1, Math.floor(height * ratio + 1e-6)),
    Math.max(1, Math.floor(height + 1e-6)),
  ];
  return {
    width: wide,
    height: tall,
    x: Math.max(0, Math.round((area.width - wide) / 2)),
    y: Math.max(0, Math.round((area.height - tall) / 2)),
  };
}
