import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createTempFolder } from "../../test/support/temp.ts";
import { createRecordings, type Recording } from "./recordings.ts";

const mostBytes = 10;
const createFolder = (): string => {
  const folder = createTempFolder("recordings");
  mkdirSync(folder, { recursive: true });
  return folder;
};
const piece = (text: string) => new TextEncoder().encode(text);
async function heard(recording: Recording): Promise<string> {
  let text = "";
  for (;;) {
    const bytes = await recording.read(text.length);
    if (!bytes) return text;
    text += Buffer.from(bytes).toString();
  }
}
async function stored(recording: Recording): Promise<string> {
  const whole = recording.whole();
  return "bytes" in whole
    ? Buffer.from(whole.bytes).toString()
    : (await buffer(await whole.open())).toString();
}

it("recordings over the memory limit continue in files, are heard whole by late listeners, and leave nothing", async () => {
  const folder = createFolder();
  const begin = createRecordings({ folder, mostBytes });
  const small = begin(1, "audio/wav");
  await small.add(piece("12345"));
  expect(readdirSync(folder)).toEqual([]);
  const large = begin(1, "audio/wav");
  for (const text of ["abcd", "efgh", "ij"]) await large.add(piece(text));
  expect(readdirSync(folder)).toHaveLength(1);
  expect([await heard(small), await heard(large)]).toEqual(["12345", "abcdefghij"]);
  expect([await stored(small), await stored(large)]).toEqual(["12345", "abcdefghij"]);
  // Again from the beginning, like a second attempt to store it.
  expect(await stored(large)).toBe("abcdefghij");
  expect(large.whole()).toMatchObject({
    size: 10,
    sha256: "72399361da6a7754fec986dca5b7cbaf1c810a28ded4abaf56b2106d06cb78b0",
  });
  await large.end();
  expect(readdirSync(folder)).toEqual([]);
  expect(await large.read(0)).toBeUndefined();
  // Its memory is free again.
  await small.add(piece("67890"));
  expect(readdirSync(folder)).toEqual([]);
  await small.end();
});

it("a recording that can't be written to disk isn't lost", async () => {
  const begin = createRecordings({ folder: "/nowhere/at/all", mostBytes });
  const recording = begin(1, undefined);
  for (const text of ["abcdefgh", "ijklmnop"]) await recording.add(piece(text));
  expect([await heard(recording), await stored(recording)]).toEqual([
    "abcdefghijklmnop",
    "abcdefghijklmnop",
  ]);
  await recording.end();
});

it("a sweep of the folder removes nothing from a recording in use", async () => {
  const folder = createFolder();
  const recording = createRecordings({ folder, mostBytes })(1, undefined);
  await recording.add(piece("abcdefghijk"));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  await recording.add(piece("lm"));
  expect([await heard(recording), await stored(recording)]).toEqual([
    "abcdefghijklm",
    "abcdefghijklm",
  ]);
  await recording.end();
});
