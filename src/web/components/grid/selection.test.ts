import { expect, it } from "vitest";
import { nothingSelected, selectTo, toggleSelected } from "./selection.ts";

const keyAt = (index: number) => ["a", "b", undefined, "d", "e"][index];

it("toggles one item", () => {
  const one = toggleSelected(nothingSelected, 1, "b");
  expect([...one.keys]).toEqual(["b"]);
  expect([...toggleSelected(one, 1, "b").keys]).toEqual([]);
});

it("selects from the last touched item to this one, in either direction, without unloaded ones", () => {
  const from = toggleSelected(nothingSelected, 3, "d");
  expect([...selectTo(from, 0, keyAt).keys].sort()).toEqual(["a", "b", "d"]);
  expect([...selectTo(from, 4, keyAt).keys].sort()).toEqual(["d", "e"]);
});

it("keeps a range's start while its end moves", () => {
  const from = toggleSelected(nothingSelected, 0, "a");
  const first = selectTo(from, 1, keyAt);
  expect(first.anchor).toBe(0);
});

it("doesn't change the selection passed in", () => {
  toggleSelected(nothingSelected, 0, "a");
  expect(nothingSelected.keys.size).toBe(0);
});
