import { expect, it } from "vitest";
import { boxBetween, dragBox, fitBox } from "./crop-box.ts";

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

it("a rectangle is drawn in any direction", () => {
  expect(boxBetween({ x: 200, y: 150 }, { x: 50, y: 20 }, picture)).toEqual({
    x: 50,
    y: 20,
    width: 150,
    height: 130,
  });
});
