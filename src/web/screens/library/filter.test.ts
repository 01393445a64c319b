import { expect, it } from "vitest";
import { isNarrowed, isSaved, readFilter, toSaved } from "./filter.ts";

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

it("knows the saved search whose filter is applied, with its order, but not inside another view", () => {
  const search = { q: "sea", model: "c/org/name", sort: "bytes", order: "asc", group: "batch" };
  const saved = toSaved(readFilter(search).filter);
  const isIt = (address: Record<string, string | undefined>) => isSaved(saved, readFilter(address));
  expect(isIt({ ...search, project: "p" })).toBe(true);
  expect(isIt({ ...search, q: "seas" })).toBe(false);
  expect(isIt({ ...search, order: undefined })).toBe(false);
  expect(isIt({ ...search, tags: crypto.randomUUID() })).toBe(false);
  expect(isIt({ ...search, collection: crypto.randomUUID() })).toBe(false);
  expect(isIt({ ...search, view: "kept" })).toBe(false);
});
