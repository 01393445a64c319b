import { isInRotated, largestInRotated, rotatedSize } from "#domain/files/rotated-picture.ts";
import { type Box, fitBox, type Size } from "./crop-box.ts";

const between = (from: Box, to: Box, part: number): Box => ({
  x: from.x + (to.x - from.x) * part,
  y: from.y + (to.y - from.y) * part,
  width: from.width + (to.width - from.width) * part,
  height: from.height + (to.height - from.height) * part,
});

const bisections = 20;

/** Moves from a rectangle within the rotated picture toward another, as far as it stays within. */
function reach(from: Box, wanted: Box, picture: Size, angle: number): Box {
  const area = rotatedSize(picture, angle);
  const isIn = (box: Box) => isInRotated(fitBox(box, area), picture, angle);
  if (isIn(wanted)) return fitBox(wanted, area);
  let [least, most] = [0, 1];
  for (let i = 0; i < bisections; i += 1) {
    const middle = (least + most) / 2;
    if (isIn(between(from, wanted, middle))) least = middle;
    else most = middle;
  }
  return fitBox(between(from, wanted, least), area);
}

/**
 * Keeps a dragged rectangle within a rotated picture; at the edge it slides along the other
 * direction.
 */
export function keepInRotated(from: Box, wanted: Box, picture: Size, angle: number): Box {
  if (isInRotated(wanted, picture, angle)) return wanted;
  const isMoved = from.width === wanted.width && from.height === wanted.height;
  if (!isMoved) return reach(from, wanted, picture, angle);
  const along = reach(from, { ...wanted, y: from.y }, picture, angle);
  return reach(along, { ...along, y: wanted.y }, picture, angle);
}

/**
 * The rectangle after its picture is rotated: about the same place, as large as before or as the
 * picture allows.
 */
export function rotateBox(
  { box, angle: before }: { box: Box; angle: number },
  picture: Size,
  angle: number,
): Box {
  const [was, area] = [rotatedSize(picture, before), rotatedSize(picture, angle)];
  const wanted = {
    ...box,
    x: box.x + (area.width - was.width) / 2,
    y: box.y + (area.height - was.height) / 2,
  };
  const largest = largestInRotated(picture, angle, box.width / box.height);
  const width = Math.min(largest.width, box.width);
  const height = Math.min(largest.height, box.height);
  const inMiddle = { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
  return reach(inMiddle, wanted, picture, angle);
}
