import fc from "fast-check";
import { expect, it } from "vitest";
import {
  groupsBetween,
  type JustifiedLayout,
  layoutJustified,
  moveInGrid,
  rowOfItem,
  rowsBetween,
} from "./justified-layout.ts";

const ratios = fc.array(fc.double({ min: 0.1, max: 5, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
});
const build = (
  list: readonly number[],
  options: { width?: number; groups?: number[] } = {},
): JustifiedLayout =>
  layoutJustified({
    count: list.length,
    ratioAt: (index) => list[index] ?? 1,
    width: 800,
    targetHeight: 150,
    gap: 6,
    headingHeight: 40,
    ...options,
  });
const itemsOf = (layout: JustifiedLayout, row: number) => {
  const first = layout.rowFirst[row] ?? 0;
  return Array.from(
    { length: (layout.rowFirst[row + 1] ?? 0) - first },
    (_, place) => first + place,
  );
};
const endOf = (layout: JustifiedLayout, index: number) =>
  (layout.left[index] ?? 0) + (layout.itemWidth[index] ?? 0);

it("fills the width in every row except the last, and never exceeds it", () => {
  fc.assert(
    fc.property(ratios, (list) => {
      const layout = build(list);
      for (let row = 0; row < layout.rowCount; row += 1) {
        const end = endOf(layout, itemsOf(layout, row).at(-1) ?? 0);
        expect(end).toBeLessThan(800.01);
        if (row < layout.rowCount - 1) expect(end).toBeCloseTo(800, 3);
      }
    }),
  );
});

it("puts every item into exactly one row, in order", () => {
  fc.assert(
    fc.property(ratios, (list) => {
      const layout = build(list);
      const all = Array.from({ length: layout.rowCount }, (_, row) => itemsOf(layout, row)).flat();
      expect(all).toEqual(list.map((_, index) => index));
      for (const index of all) expect(itemsOf(layout, rowOfItem(layout, index))).toContain(index);
    }),
  );
});

it("doesn't stretch a short last row", () => {
  expect(build([1]).rowHeight[0]).toBe(150);
});

it("starts a row under a heading for each group", () => {
  const layout = build([1, 1, 1], { groups: [0, 1] });
  expect(layout.rowCount).toBe(2);
  expect([...layout.groupTop]).toEqual([0, 40 + 150 + 6]);
  expect(layout.rowTop[1]).toBe(layout.groupTop[1]! + 40);
});

it("finds the headings of a window, both ends included", () => {
  // Each group is 196 px high.
  const layout = build([1, 1, 1, 1], { groups: [0, 1, 2, 3] });
  expect(groupsBetween(layout, 196, 392)).toEqual([1, 2]);
  expect(groupsBetween(layout, -46, 0)).toEqual([0]);
  expect(groupsBetween(layout, 197, 391)).toEqual([]);
  expect(groupsBetween(layout, 500, 9_000)).toEqual([3]);
  expect(groupsBetween(build([1]), 0, 900)).toEqual([]);
});

it("gives an unknown size a square", () => {
  const layout = build([0, Number.NaN]);
  expect([...layout.itemWidth]).toEqual([150, 150]);
});

it("finds the rows of a window without reading the others", () => {
  const layout = build(Array.from({ length: 100_000 }, (_, index) => 0.6 + (index % 7) / 5));
  const [first, last] = rowsBetween(layout, layout.height / 2, layout.height / 2 + 900);
  expect(last - first).toBeLessThan(12);
  expect(layout.rowTop[first]).toBeLessThanOrEqual(layout.height / 2);
  expect(layout.rowTop[last + 1]).toBeGreaterThan(layout.height / 2 + 900);
});

it("moves up and down to the nearest picture, and stays at the edge", () => {
  const layout = build([1, 1, 1, 1, 1, 2, 2, 1.4]);
  const below = moveInGrid(layout, 1, "down");
  expect(rowOfItem(layout, below)).toBe(1);
  expect(moveInGrid(layout, below, "up")).toBeLessThanOrEqual(2);
  expect(moveInGrid(layout, 0, "up")).toBe(0);
  expect(moveInGrid(layout, 7, "right")).toBe(7);
  expect([moveInGrid(layout, 3, "home"), moveInGrid(layout, 3, "end")]).toEqual([0, 7]);
});

it("an empty list has an empty layout", () => {
  expect(build([])).toMatchObject({ height: 0, rowCount: 0 });
});
