import fc from "fast-check";
import { expect, it } from "vitest";
import { isInRotated, rotatedSize, straightenMost } from "#domain/files/rotated-picture.ts";
import { type Box, dragBox, fitBox } from "./crop-box.ts";
import { keepInRotated, rotateBox } from "./rotated-crop.ts";

const picture = { width: 800, height: 600 };
const whole: Box = { x: 0, y: 0, ...picture };

it("rotating and rotating back restores the rectangle", () => {
  const box = { x: 20, y: 30, width: 700, height: 500 };
  expect(rotateBox({ box, angle: 0 }, picture, 0)).toEqual(box);
  const turned = rotateBox({ box, angle: 0 }, picture, 8);
  expect(turned.width).toBeLessThanOrEqual(box.width);
  expect(rotateBox({ box: whole, angle: 0 }, picture, 8).width).toBeLessThan(whole.width);
  expect(turned.width / turned.height).toBeCloseTo(1.4, 1);
});

it("the rectangle stays within the picture after every rotation and drag", () => {
  const handles = ["move", "n", "e", "s", "w", "ne", "se", "sw", "nw"] as const;
  fc.assert(
    fc.property(
      fc.double({ min: -straightenMost, max: straightenMost, noNaN: true }),
      fc.constantFrom(...handles),
      fc.integer({ min: -900, max: 900 }),
      fc.integer({ min: -900, max: 900 }),
      (angle, handle, dx, dy) => {
        const start = rotateBox({ box: whole, angle: 0 }, picture, angle);
        expect(isInRotated(start, picture, angle)).toBe(true);
        const area = rotatedSize(picture, angle);
        const box = keepInRotated(start, dragBox(start, handle, dx, dy, area), picture, angle);
        expect(fitBox(box, area)).toEqual(box);
        expect(isInRotated(box, picture, angle)).toBe(true);
      },
    ),
  );
});
