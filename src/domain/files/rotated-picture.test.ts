import fc from "fast-check";
import { expect, it } from "vitest";
import { isInRotated, largestInRotated, rotatedSize, straightenMost } from "./rotated-picture.ts";

const picture = { width: 400, height: 300 };

it("a picture that isn't rotated is its own area", () => {
  expect(rotatedSize(picture, 0)).toEqual(picture);
  expect(isInRotated({ x: 0, y: 0, ...picture }, picture, 0)).toBe(true);
  expect(isInRotated({ x: 0, y: 0, width: 404, height: 300 }, picture, 0)).toBe(false);
  expect(largestInRotated(picture, 0, 4 / 3)).toEqual({ x: 0, y: 0, ...picture });
});

it("the empty corners of a rotated picture are outside", () => {
  const area = rotatedSize(picture, 10);
  expect(area).toEqual({ width: 446, height: 365 });
  expect(isInRotated({ x: 0, y: 0, width: 20, height: 20 }, picture, 10)).toBe(false);
  expect(isInRotated({ x: 0, y: 0, ...area }, picture, 10)).toBe(false);
});

it("the largest rectangle fits at every angle, and one a few pixels larger doesn't", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -straightenMost, max: straightenMost, noNaN: true }),
      fc.constantFrom(1, 4 / 3, 16 / 9, 9 / 16),
      (degrees, ratio) => {
        const box = largestInRotated(picture, degrees, ratio);
        expect(isInRotated(box, picture, degrees)).toBe(true);
        const larger = {
          x: box.x - 4,
          y: box.y - 4,
          width: box.width + 8,
          height: box.height + 8,
        };
        expect(isInRotated(larger, picture, degrees)).toBe(false);
      },
    ),
  );
});
