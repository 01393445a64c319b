import fc from "fast-check";
import { expect, it } from "vitest";
import { boxBetween, boxOfRatio, dragBox, dragBoxOfRatio, fitBox, hasRatio } from "./crop-box.ts";

const picture = { width: 400, height: 300 };

it("a rectangle never leaves the picture and is never empty", () => {
  expect(fitBox({ x: -20, y: 290, width: 900, height: 50 }, picture)).toEqual({
    x: 0,
    y: 250,
    width: 400,
    height: 50,
  });
  expect(fitBox({ x: 10, y: 10, width: 0, height: -4 }, picture)).toEqual({
    x: 10,
    y: 10,
    width: 1,
    height: 1,
  });
});

it("moving keeps the size and stops at the edge", () => {
  const box = { x: 300, y: 200, width: 80, height: 60 };
  expect(dragBox(box, "move", 100, 5, picture)).toEqual({ x: 320, y: 205, width: 80, height: 60 });
});

it("a dragged corner leaves the opposite one in place, even past it", () => {
  const box = { x: 100, y: 100, width: 50, height: 40 };
  expect(dragBox(box, "nw", -20, -30, picture)).toEqual({ x: 80, y: 70, width: 70, height: 70 });
  expect(dragBox(box, "nw", 500, 0, picture)).toEqual({ x: 149, y: 100, width: 1, height: 40 });
  expect(dragBox(box, "se", 500, 500, picture)).toEqual({
    x: 100,
    y: 100,
    width: 300,
    height: 200,
  });
});

it("a rectangle can be drawn in any direction", () => {
  expect(boxBetween({ x: 200, y: 150 }, { x: 50, y: 20 }, picture)).toEqual({
    x: 50,
    y: 20,
    width: 150,
    height: 130,
  });
});

it("a chosen ratio keeps the center, and as much of the width as fits", () => {
  expect(boxOfRatio({ x: 0, y: 0, ...picture }, 1, picture)).toEqual({
    x: 50,
    y: 0,
    width: 300,
    height: 300,
  });
  expect(boxOfRatio({ x: 100, y: 100, width: 160, height: 20 }, 16 / 9, picture)).toEqual({
    x: 100,
    y: 65,
    width: 160,
    height: 90,
  });
});

it("a handle keeps the ratio and the opposite side or corner, up to the picture's edge", () => {
  const box = { x: 100, y: 100, width: 100, height: 50 };
  const drag = (handle: Parameters<typeof dragBox>[1], dx: number, dy: number) =>
    dragBoxOfRatio(box, handle, dx, dy, picture, 2);
  expect(drag("se", 40, 0)).toEqual({ x: 100, y: 100, width: 140, height: 70 });
  expect(drag("nw", -400, -400)).toEqual({ x: 0, y: 50, width: 200, height: 100 });
  expect(drag("e", 40, 0)).toEqual({ x: 100, y: 90, width: 140, height: 70 });
  expect(drag("s", 0, -10)).toEqual({ x: 110, y: 100, width: 80, height: 40 });
  expect(drag("move", 10, 10)).toEqual({ x: 110, y: 110, width: 100, height: 50 });
});

it("dragging a rectangle with a ratio keeps that ratio within the picture", () => {
  const handles = ["n", "e", "s", "w", "ne", "se", "sw", "nw"] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...handles),
      fc.integer({ min: -500, max: 500 }),
      fc.integer({ min: -500, max: 500 }),
      fc.constantFrom(1, 4 / 3, 16 / 9, 9 / 16),
      (handle, dx, dy, ratio) => {
        const start = boxOfRatio({ x: 60, y: 40, width: 200, height: 150 }, ratio, picture);
        const box = dragBoxOfRatio(start, handle, dx, dy, picture, ratio);
        expect(fitBox(box, picture)).toEqual(box);
        expect(hasRatio(box, ratio)).toBe(true);
      },
    ),
  );
});
