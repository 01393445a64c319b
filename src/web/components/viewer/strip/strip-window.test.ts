import fc from "fast-check";
import { expect, it } from "vitest";
import { windowStrip } from "./strip-window.ts";

const gap = 6;
const place = (widths: readonly number[], index: number, width: number) =>
  windowStrip({ count: widths.length, index, width, gap, widthAt: (at) => widths[at] ?? 0 });

it("centers a few items", () => {
  expect(place([50, 50, 50], 0, 400)).toEqual({ first: 0, last: 2, left: (400 - 162) / 2 });
});

it("centers the shown item of a long strip, and aligns its ends with the edges", () => {
  const many = Array.from({ length: 1_000 }, () => 50);
  const middle = place(many, 500, 400);
  expect(middle.left + (500 - middle.first) * 56 + 25).toBe(200);
  expect(middle.last - middle.first).toBeLessThan(10);
  expect(place(many, 0, 400)).toMatchObject({ first: 0, left: 0 });
  const end = place(many, 999, 400);
  expect(end.left + (999 - end.first) * 56 + 50).toBe(400);
});

it("fills the strip without a gap, and always draws the shown item whole", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 20, max: 120 }), { minLength: 1, maxLength: 60 }),
      fc.nat(),
      (widths, at) => {
        const index = at % widths.length;
        const { first, last, left } = place(widths, index, 300);
        const from = (end: number) =>
          widths.slice(first, end).reduce((sum, width) => sum + width + gap, left);
        expect(first).toBeLessThanOrEqual(index);
        expect(last).toBeGreaterThanOrEqual(index);
        expect(from(index)).toBeGreaterThanOrEqual(-0.001);
        expect(from(index) + widths[index]!).toBeLessThanOrEqual(300.001);
        if (first > 0) expect(left).toBeLessThanOrEqual(gap);
        if (last < widths.length - 1) expect(from(last + 1)).toBeGreaterThanOrEqual(300);
      },
    ),
  );
});
