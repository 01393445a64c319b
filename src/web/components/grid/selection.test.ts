import { expect, it } from "vitest";
import {
  isSelected,
  nothingSelected,
  type Selection,
  selectTo,
  toggleSelected,
  withoutSelected,
} from "./selection.ts";

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

it("selects all but exceptions, also among items that it never loaded", () => {
  const all: Selection = { keys: new Set(["a", "b"]), anchor: 0, isAll: true };
  const but = toggleSelected(toggleSelected(all, 0, "a"), 4, "e");
  expect(but).toMatchObject({ isAll: true, except: new Set(["a", "e"]) });
  expect(["a", "b", "d", "e", undefined].map((key) => isSelected(but, key))).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
  expect(isSelected(toggleSelected(but, 4, "e"), "e")).toBe(true);
  expect([...(selectTo({ ...but, anchor: 3 }, 4, keyAt).except ?? [])]).toEqual(["a"]);
  expect(withoutSelected({ keys: new Set(["a", "d"]), anchor: 0 }, but).keys).toEqual(
    new Set(["a"]),
  );
});

it("doesn't change the selection passed in", () => {
  toggleSelected(nothingSelected, 0, "a");
  expect(nothingSelected.keys.size).toBe(0);
});
