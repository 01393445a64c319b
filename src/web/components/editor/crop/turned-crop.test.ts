import fc from "fast-check";
import { expect, it } from "vitest";
import { isInTurned, straightenMost, turnedSize } from "#domain/files/turned-picture.ts";
import { type Box, dragBox, fitBox } from "./crop-box.ts";
import { keepInTurned, turnBox } from "./turned-crop.ts";

const picture = { width: 800, height: 600 };
const whole: Box = { x: 0, y: 0, ...picture };

it("rotating and rotating back restores the rectangle", () => {
  const box = { x: 20, y: 30, width: 700, height: 500 };
  expect(turnBox({ box, angle: 0 }, picture, 0)).toEqual(box);
  const turned = turnBox({ box, angle: 0 }, picture, 8);
  expect(turned.width).toBeLessThanOrEqual(box.width);
  expect(turnBox({ box: whole, angle: 0 }, picture, 8).width).toBeLessThan(whole.width);
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
        const start = turnBox({ box: whole, angle: 0 }, picture, angle);
        expect(isInTurned(start, picture, angle)).toBe(true);
        const area = turnedSize(picture, angle);
        const box = keepInTurned(start, dragBox(start, handle, dx, dy, area), picture, angle);
        expect(fitBox(box, area)).toEqual(box);
        expect(isInTurned(box, picture, angle)).toBe(true);
      },
    ),
  );
});
