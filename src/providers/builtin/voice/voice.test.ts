import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import {
  askAdapter,
  collectParts,
  fileOf,
  sha256,
  type Warning,
} from "../../../../test/support/contracts/answer.ts";
import { builtin } from "../adapter.ts";
import { splitSentences, toSpeakable } from "./sentences.ts";
import { voiceNames } from "./voices.ts";
import { readWav } from "./wav.ts";

const speak = (input: object, warnings: Warning[] = []) =>
  collectParts(
    askAdapter(builtin, { model: "voice", task: "speech", input: { ...input }, warnings }),
  );
const sentence = "The boats come home when the tide is low.";

it("gives a 16-bit mono WAV whose header, length and stated duration agree, at a natural pace", async () => {
  const file = fileOf(await speak({ text: sentence }));
  const view = new DataView(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
  expect(view.getUint32(4, true)).toBe(file.bytes.byteLength - 8);
  expect(view.getUint32(40, true)).toBe(file.bytes.byteLength - 44);
  const { sampleRate, samples } = readWav(file.bytes);
  expect(sampleRate).toBe(16_000);
  expect(file.durationMs).toBe(Math.round(samples.byteLength / 32));
  // People read 9 words aloud in two to four seconds.
  expect(file.durationMs).toBeGreaterThan(1_800);
  expect(file.durationMs).toBeLessThan(4_500);
  const loudest = new Int16Array(samples.slice().buffer).reduce(
    (most, value) => Math.max(most, Math.abs(value)),
    0,
  );
  expect(loudest).toBeGreaterThan(3_000);
});

it("speaks with each of the module's voices, distinct and reproducible", async () => {
  const sounds: string[] = [];
  for (const voice of voiceNames)
    sounds.push(sha256(fileOf(await speak({ text: sentence, voice })).bytes));
  expect(new Set(sounds).size).toBe(voiceNames.length);
  expect(sha256(fileOf(await speak({ text: sentence, voice: voiceNames[0] })).bytes)).toBe(
    sounds[0],
  );
});

it("takes half as long at double speed", async () => {
  const [slow, fast] = [
    fileOf(await speak({ text: sentence })),
    fileOf(await speak({ text: sentence, speed: 2 })),
  ];
  expect(fast.durationMs! / slow.durationMs!).toBeCloseTo(0.5, 1);
});

it("reports each spoken sentence", async () => {
  const parts = await speak({ text: "One boat. Two boats! Are there three?" });
  expect(
    parts.flatMap((part) => (part.type === "progress" ? [`${part.done}/${part.total}`] : [])),
  ).toEqual(["0/3", "1/3", "2/3", "3/3"]);
  expect(parts.at(-1)).toMatchObject({ type: "finish", costMicros: 0 });
});

it("stops between two sentences when canceled and leaves no file behind", async () => {
  const canceller = new AbortController();
  const spoken: number[] = [];
  const run = async () => {
    for await (const part of askAdapter(builtin, {
      model: "voice",
      input: { text: `${sentence} `.repeat(200) },
      signal: canceller.signal,
    })) {
      if (part.type !== "progress") continue;
      spoken.push(part.done);
      if (part.done === 2) canceller.abort();
    }
  };
  const before = new Set(await readdir(tmpdir()));
  await expect(run()).rejects.toThrow(/aborted/);
  expect(spoken).toEqual([0, 1, 2]);
  expect(
    (await readdir(tmpdir())).filter(
      (name) => name.startsWith("bottega-voice-") && !before.has(name),
    ),
  ).toEqual([]);
});

it("names the letters that it skips, and refuses a text without any it can speak", async () => {
  const warnings: Warning[] = [];
  await speak({ text: "Hello 你好." }, warnings);
  expect(warnings).toMatchObject([{ type: "changed", feature: "text" }]);
  await expect(speak({ text: "你好" })).rejects.toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "text" },
  });
  await expect(speak({ text: "..." })).rejects.toMatchObject({ detail: { field: "text" } });
  await expect(speak({ text: "a".repeat(10_001) })).rejects.toMatchObject({
    detail: { field: "text" },
  });
});

it("doesn't mistake a text for a command-line option", async () => {
  expect(fileOf(await speak({ text: "--help -lv" })).durationMs).toBeGreaterThan(300);
});

it("cuts a text into sentences, and an endless sentence into pieces, without losing a word", () => {
  const text = "It is 3.5 m long. “Really?” he said.\n\nNext";
  expect(splitSentences(toSpeakable(text))).toEqual([
    "It is 3.5 m long.",
    '"Really?" he said.',
    "Next",
  ]);
  const long = `${"word ".repeat(300)}end`;
  const pieces = splitSentences(long);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(300);
  expect(pieces.join(" ")).toBe(long);
  expect(toSpeakable("Café “naïve” – ok…")).toBe('Cafe "naive" - ok...');
});
