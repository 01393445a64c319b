import { expect, it } from "vitest";
import { createSavedEntries, type Slot } from "./saved-entries.ts";

/** A device's storage that is full beyond a number of characters. */
function buildStore(maxCharacters = Number.POSITIVE_INFINITY) {
  const entries = new Map<string, string>();
  return {
    entries,
    get length() {
      return entries.size;
    },
    key: (at: number) => [...entries.keys()][at] ?? null,
    getItem: (key: string) => entries.get(key) ?? null,
    removeItem: (key: string) => void entries.delete(key),
    setItem(key: string, value: string) {
      const others = [...entries].reduce((sum, [k, v]) => sum + (k === key ? 0 : v.length), 0);
      if (others + value.length > maxCharacters)
        throw new DOMException("full", "QuotaExceededError");
      entries.set(key, value);
    },
  };
}

function buildEntries(maxCharacters?: number) {
  const device = buildStore(maxCharacters);
  const tab = buildStore();
  let time = 0;
  const kept = createSavedEntries(
    () => device,
    () => tab,
    () => time++,
  );
  return { device, tab, kept };
}

const words: Slot<string> = {
  kind: "draft",
  name: "words",
  version: 1,
  empty: "",
  parse: (saved) => (typeof saved === "string" ? saved : null),
};
const choice: Slot<string> = { ...words, kind: "choice", name: "model" };
const inTab: Slot<string> = { ...words, where: "tab" };

it("a draft is restored as typed, only for its person and its place", () => {
  const { kept } = buildEntries();
  kept.open("ada");
  expect(kept.write(words, "ada", "half a thou", "one")).toBe(true);
  expect(kept.read(words, "ada", "one")).toBe("half a thou");
  expect(kept.read(words, "ada", "two")).toBe("");
  expect(kept.read(words, "ben", "one")).toBe("");
});

it("a person who signs out leaves no draft on the device or in the tab, and finds their choices again", () => {
  const { kept, device, tab } = buildEntries();
  kept.open("ada");
  kept.write(words, "ada", "half a thou", "one");
  kept.write(inTab, "ada", "https://", "form");
  kept.write(choice, "ada", "flux");
  kept.close("ada");
  expect([...device.entries.keys(), ...tab.entries.keys()]).toEqual(["bottega:choice:ada:model:"]);
  expect(kept.read(choice, "ada")).toBe("flux");
});

it("text that a page still holds after its person signed out isn't saved", () => {
  const { kept } = buildEntries();
  kept.open("ada");
  kept.close("ada");
  expect(kept.write(words, "ada", "late", "one")).toBe(false);
  kept.open("ben");
  expect(kept.write(words, "ada", "later", "one")).toBe(false);
  expect(kept.read(words, "ada", "one")).toBe("");
});

it("a person whose session has ended finds their drafts after another person used the device", () => {
  const { kept } = buildEntries();
  kept.open("ada");
  kept.write(words, "ada", "half a thou", "one");
  kept.open("ben");
  kept.close("ben");
  kept.open("ada");
  expect(kept.read(words, "ada", "one")).toBe("half a thou");
});

it("an empty draft isn't stored", () => {
  const { kept, device } = buildEntries();
  kept.open("ada");
  kept.write(words, "ada", "x", "one");
  kept.write(words, "ada", "", "one");
  expect([...device.entries.keys()]).toEqual(["bottega:person"]);
});

it("a broken entry, or one of another version, is ignored", () => {
  const { kept, device } = buildEntries();
  kept.open("ada");
  device.setItem("bottega:draft:ada:words:one", "{half");
  expect(kept.read(words, "ada", "one")).toBe("");
  kept.write(words, "ada", "old", "one");
  expect(kept.read({ ...words, version: 2 }, "ada", "one")).toBe("");
});

it("entries without a person are removed when somebody signs in", () => {
  const { kept, device } = buildEntries();
  device.setItem("bottega:draft:chat:1", "somebody's");
  device.setItem("bottega:appearance", "{}");
  device.setItem("another program", "");
  kept.open("ada");
  expect([...device.entries.keys()]).toEqual([
    "bottega:appearance",
    "another program",
    "bottega:person",
  ]);
});

it("a full device drops its oldest drafts for the newest, and never a setting", () => {
  const { kept } = buildEntries(600);
  kept.open("ada");
  kept.write(choice, "ada", "flux");
  for (const id of ["one", "two", "three", "four"]) kept.write(words, "ada", "x".repeat(150), id);
  expect(kept.read(words, "ada", "one")).toBe("");
  expect(kept.read(words, "ada", "four")).toBe("x".repeat(150));
  expect(kept.read(choice, "ada")).toBe("flux");
});

it("a draft that is too long for the device is refused without an exception", () => {
  const { kept } = buildEntries(100);
  kept.open("ada");
  expect(kept.write(words, "ada", "x".repeat(200), "one")).toBe(false);
  expect(kept.write(words, "ada", "x".repeat(2 ** 19), "one")).toBe(false);
  const nothing = createSavedEntries(
    () => {
      throw new DOMException("forbidden", "SecurityError");
    },
    () => buildStore(),
    () => 0,
  );
  nothing.open("ada");
  nothing.close("ada");
  expect(nothing.write(words, "ada", "x", "one")).toBe(false);
  expect(nothing.read(words, "ada", "one")).toBe("");
});

it("sent text is removed, also if only half of it was saved, and other text stays", () => {
  const { kept } = buildEntries();
  const message: Slot<string> = { ...words, isPartOf: (draft, sent) => sent.includes(draft) };
  kept.open("ada");
  for (const [saved, left] of [
    ["half a thought", ""],
    ["half a", ""],
    ["half an hour", "half an hour"],
  ] as const) {
    kept.write(message, "ada", saved, "one");
    kept.removeSent(message, "ada", "half a thought", "one");
    expect(kept.read(message, "ada", "one")).toBe(left);
  }
});
