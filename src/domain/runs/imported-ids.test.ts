import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { createRename, hasCycle, renameIn } from "./imported-ids.ts";

/** FNV-1a of 64 bits: enough to tell a test's texts apart. */
const hash = (text: string): string => {
  let value = 0xcbf29ce484222325n;
  for (const character of text)
    value = BigInt.asUintN(64, (value ^ BigInt(character.codePointAt(0)!)) * 0x100000001b3n);
  return value.toString(16).padStart(16, "0");
};
const latest = Date.now() + 60_000;
const rename = createRename(uuid(), latest, hash);

it("an id is mapped to the same new one each time, and to another in another import", () => {
  const id = uuid();
  expect(rename(id)).not.toBe(id);
  expect(rename(id)).toBe(rename(id));
  expect(createRename(uuid(), latest, hash)(id)).not.toBe(rename(id));
});

it("new ids are UUIDv7 in the order of the old ones", () => {
  const ids = Array.from({ length: 2_000 }, () => uuid());
  const renamed = ids.map(rename);
  expect(new Set(renamed).size).toBe(ids.length);
  expect([...renamed].sort()).toEqual(renamed);
  for (const id of renamed)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it("a date in the future becomes the date of the import", () => {
  const id = rename("ffffffff-ffff-7000-8000-000000000000");
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(latest);
});

it("no old id stays in JSON, alone or as an asset's, and other text stays unchanged", () => {
  const id = uuid();
  const value = {
    conversationId: id,
    image: `asset:${id}`,
    list: [id, 1, null],
    prompt: `of ${id}`,
    seed: 7,
  };
  expect(renameIn(value, rename)).toEqual({
    conversationId: rename(id),
    image: `asset:${rename(id)}`,
    list: [rename(id), 1, null],
    prompt: `of ${id}`,
    seed: 7,
  });
});

it("messages that are each other's parents are found, and long branches aren't mistaken for them", () => {
  const branch = new Map(
    Array.from({ length: 50_000 }, (_, i) => [`${i}`, i === 0 ? null : `${i - 1}`] as const),
  );
  expect(hasCycle(branch)).toBe(false);
  expect(hasCycle(new Map([...branch, ["0", "49999"]]))).toBe(true);
  expect(hasCycle(new Map([["a", "a"]]))).toBe(true);
});
