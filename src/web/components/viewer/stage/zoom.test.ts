import fc from "fast-check";
import { expect, it } from "vitest";
import { clampZoom, fitScale, isSameShape, toView, toZoom, type Zoom, zoomAbout } from "./zoom.ts";

const picture = { width: 4_000, height: 3_000 };
const window = { width: 1_000, height: 800 };
const fit = { scale: fitScale(picture, window), x: 0, y: 0 };

it("fits a large picture into the window, and never enlarges a small one", () => {
  expect(fit.scale).toBe(0.25);
  expect(fitScale({ width: 64, height: 64 }, window)).toBe(1);
});

it("keeps the point under the pointer in place while zooming", () => {
  const at = { x: 120, y: -60 };
  const near = zoomAbout(fit, 4, at, picture, window);
  const before = (at.x - fit.x) / fit.scale;
  expect((at.x - near.x) / near.scale).toBeCloseTo(before, 6);
});

it("leaves no gap next to a larger picture, and centers a smaller one", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 40, noNaN: true }),
      fc.integer(),
      fc.integer(),
      (scale, x, y) => {
        const zoom: Zoom = clampZoom({ scale, x, y }, picture, window);
        for (const [size, within, moved] of [
          [picture.width * zoom.scale, window.width, zoom.x],
          [picture.height * zoom.scale, window.height, zoom.y],
        ] as const) {
          expect(Math.abs(moved)).toBeLessThanOrEqual(Math.max(0, (size - within) / 2) + 0.001);
        }
      },
    ),
  );
});

it("shows the same place of another picture of the same shape", () => {
  const near = zoomAbout(fit, 4, { x: 120, y: -60 }, picture, window);
  const small = { width: 2_000, height: 1_500 };
  const other = toZoom(toView(near, picture, window), small, window);
  expect(other.scale * small.width).toBeCloseTo(near.scale * picture.width, 6);
  expect([other.x, other.y]).toEqual([expect.closeTo(near.x, 6), expect.closeTo(near.y, 6)]);
});

it("treats sizes that differ by rounding as one shape, and others not", () => {
  expect(isSameShape({ width: 1024, height: 768 }, { width: 683, height: 512 })).toBe(true);
  expect(isSameShape({ width: 1024, height: 768 }, { width: 768, height: 1024 })).toBe(false);
});
