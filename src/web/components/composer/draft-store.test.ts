import { expect, it } from "vitest";
import { type DraftStorage, emptyDraft, readDraft, writeDraft } from "./draft-store.ts";

function buildStorage(
  mostCharacters = Number.POSITIVE_INFINITY,
): DraftStorage & { size: () => number } {
  const entries = new Map<string, string>();
  return {
    size: () => entries.size,
    getItem: (key) => entries.get(key) ?? null,
    removeItem: (key) => void entries.delete(key),
    setItem(key, value) {
      if (value.length > mostCharacters) throw new DOMException("full", "QuotaExceededError");
      entries.set(key, value);
    },
  };
}
const file = { assetId: "a", name: "tide.png", mime: "image/png", kind: "image" };

it("a draft comes back as it was typed, with its files", () => {
  const storage = buildStorage();
  writeDraft(storage, "one", { text: "half a thou", files: [file] });
  expect(readDraft(storage, "one")).toEqual({ text: "half a thou", files: [file] });
  expect(readDraft(storage, "two")).toEqual(emptyDraft);
});

it("an empty draft leaves nothing behind", () => {
  const storage = buildStorage();
  writeDraft(storage, "one", { text: "x", files: [] });
  writeDraft(storage, "one", emptyDraft);
  expect(storage.size()).toBe(0);
});

it("what can't be read is an empty draft, and a file without a name is left out", () => {
  const storage = buildStorage();
  storage.setItem("bottega:draft:one", "{half");
  expect(readDraft(storage, "one")).toEqual(emptyDraft);
  storage.setItem(
    "bottega:draft:one",
    JSON.stringify({ text: 3, files: [file, { assetId: "b" }] }),
  );
  expect(readDraft(storage, "one")).toEqual({ text: "", files: [file] });
});

it("a full store throws nothing at who types", () => {
  expect(() =>
    writeDraft(buildStorage(10), "one", { text: "longer than that", files: [] }),
  ).not.toThrow();
});
