import { expect, it } from "vitest";
import {
  added,
  canRedo,
  canUndo,
  emptyHistory,
  type History,
  present,
  redone,
  settled,
  undone,
} from "./history.ts";
import { fitted, widthAt } from "./paint.ts";

const of = (...operations: string[]): History<string> =>
  operations.reduce<History<string>>(added, emptyHistory);

it("undoes and redoes in order, and drops undone strokes with a new one", () => {
  const three = of("a", "b", "c");
  expect(present(undone(undone(three)))).toEqual(["a"]);
  expect(present(redone(undone(undone(three))))).toEqual(["a", "b"]);
  const other = added(undone(three), "d");
  expect(present(other)).toEqual(["a", "b", "d"]);
  expect(canRedo(other)).toBe(false);
  expect(canUndo(undone(undone(undone(three))))).toBe(false);
  expect(present(undone(undone(undone(undone(three)))))).toEqual([]);
  expect(present(redone(redone(three)))).toEqual(["a", "b", "c"]);
});

it("makes the oldest strokes permanent and keeps the rest for undo", () => {
  const { forGood, rest } = settled(of("a", "b", "c", "d"), 2);
  expect(forGood).toEqual(["a", "b"]);
  expect(present(rest)).toEqual(["c", "d"]);
  expect(present(undone(undone(rest)))).toEqual([]);
  expect(settled(of("a"), 2).forGood).toEqual([]);
});

it("a firm touch is wider than a light one, and a picture fits into the drawing", () => {
  const widths = [0, 0.2, 0.5, 0.8, 1].map((pressure) => widthAt(30, pressure));
  expect(widths).toEqual([...widths].sort((a, b) => a - b));
  expect(widths.at(-1)).toBeCloseTo(30);
  expect(fitted(1536, 768)).toEqual({ x: 0, y: 192, width: 768, height: 384 });
  expect(fitted(10, 20)).toEqual({ x: 192, y: 0, width: 384, height: 768 });
});
