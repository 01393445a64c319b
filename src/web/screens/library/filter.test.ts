import { expect, it } from "vitest";
import { isNarrowed, readFilter } from "./filter.ts";

it("reads an address as a filter", () => {
  expect(readFilter({ q: " sea ", kind: "image" })).toEqual({
    view: "all",
    filter: { q: "sea", kind: "image", trash: "false" },
  });
  expect(readFilter({ view: "kept" }).filter).toEqual({ pick: "kept", trash: "false" });
  expect(readFilter({ view: "uploads" }).filter).toEqual({ source: "uploaded", trash: "false" });
  expect(readFilter({ view: "trash", source: "made" }).filter).toEqual({
    source: "made",
    trash: "true",
  });
});

it("reads ranges, people and sorts, and a connection with or without its model", () => {
  const search = { rating: "3..", costMicros: "..100000", createdBy: "u", used: "false" };
  expect(readFilter({ ...search, sort: "costMicros", order: "asc", model: "c/org/name" })).toEqual({
    view: "all",
    filter: {
      ...search,
      connectionId: "c",
      modelId: "org/name",
      sort: "costMicros",
      order: "asc",
      trash: "false",
    },
  });
  expect(readFilter({ connection: "c" }).filter).toEqual({ connectionId: "c", trash: "false" });
  expect(readFilter({ sort: "kind", order: "asc" }).filter).toEqual({
    sort: "kind",
    order: "asc",
    trash: "false",
  });
});

it("ignores unknown values, so that old links still work", () => {
  expect(
    readFilter({
      view: "attic",
      kind: "hologram",
      pick: "loved",
      q: "  ",
      rating: "many",
      bytes: "..",
      sort: "beauty",
    }),
  ).toEqual({
    view: "all",
    filter: { trash: "false" },
  });
});

it("distinguishes a view from a filter in it", () => {
  const narrowed = (search: Record<string, string | undefined>) => {
    const { filter, view } = readFilter(search);
    return isNarrowed(filter, view);
  };
  expect([{ view: "kept" }, { view: "uploads" }, { view: "trash" }, {}].map(narrowed)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(
    [{ view: "kept", q: "sea" }, { pick: "rejected" }, { source: "made" }, { bytes: "1.." }].map(
      narrowed,
    ),
  ).toEqual([true, true, true, true]);
  expect(narrowed({ sort: "rating" })).toBe(false);
});
