import { expect, it } from "vitest";
import {
  askAdapter,
  collectParts,
  textOf,
  type Warning,
} from "../../../../test/support/contracts/answer.ts";
import type { InputFile } from "../../adapter.ts";
import { builtin } from "../adapter.ts";
import { guide } from "./guide.ts";
import { readManual } from "./manual.ts";

const ask = (...said: string[]) =>
  collectParts(askAdapter(builtin, { model: "guide", task: "chat", said }));
const sourcesOf = (parts: Awaited<ReturnType<typeof ask>>) =>
  parts.flatMap((part) => (part.type === "source" ? [part.document] : []));

it("finds the right page for common first questions", async () => {
  const expected: [question: string, document: string][] = [
    ["What is Bottega?", "what-is-bottega.md"],
    ["How do I connect fal?", "services/media/fal.md#connect-fal"],
    ["how can i use ollama", "services/own/ollama.md#connect-ollama"],
    [
      "OpenAI-compatible server",
      "services/own/openai-compatible.md#connect-an-openai-compatible-server",
    ],
    ["Where are my files?", "files-and-backup.md#where-are-my-files"],
    ["How to back up and restore?", "files-and-backup.md#back-up-and-restore"],
    ["backup", "files-and-backup.md#back-up-and-restore"],
    [
      "What's the difference between make again and vary?",
      "library.md#make-again-and-vary-the-difference",
    ],
    ["What is a run?", "runs.md#what-is-a-run"],
    ["what does unconfirmed mean", "runs.md#unconfirmed-what-it-means-and-what-to-do"],
    ["How much does it cost?", "cost.md#what-does-it-cost"],
    ["keyboard shortcuts", "keyboard.md#which-shortcuts-are-there"],
    ["Which roles are there?", "people-and-projects.md#roles"],
    ["How do I invite people?", "people-and-projects.md#invite-people"],
    ["I forgot my password", "people-and-projects.md#someone-leaves-or-forgot-the-password"],
    ["Are you ChatGPT?", "built-in-models.md#the-guide-who-is-answering-you-here"],
    ["how do I crop a photo", "create.md#crop-a-picture"],
    ["dark mode?", "your-account.md#light-dark-and-density"],
    ["my key is not accepted", "connections.md#the-key-is-wrong-or-the-address-does-not-answer"],
    ["can I undo a delete", "library.md#trash-and-undo"],
    ["how do I upscail a picture", "built-in-models.md#upscale-twice-the-size"],
  ];
  for (const [question, document] of expected)
    expect(sourcesOf(await ask(question))[0], question).toBe(`docs/manual/${document}`);
});

it("quotes the manual and says that it isn't a language model, regardless of the question", async () => {
  const told = textOf(await ask("What is a run?"));
  expect(told).toContain("A run is one call of one model with one input");
  for (const question of [
    "What is a run?",
    "hello",
    "What is the capital of France?",
    "thanks",
    "what is a constructor",
    "",
  ])
    expect(textOf(await ask(question)), question).toContain("not a language model");
});

it("answers with curly quotes outside of code", async () => {
  const sections = await readManual();
  for (const { document, title, pageTitle, text } of sections) {
    const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
    expect([title, pageTitle, prose].join("\n"), document).not.toMatch(/["']/);
  }
  const titles = sections.map(({ title }) => title);
  expect(titles).toContain("OpenAI’s and Anthropic’s APIs for every model");
  expect(textOf(await ask("hello"))).not.toContain("'");
});

it("says that it has no answer instead of guessing, and names the nearest pages", async () => {
  for (const question of [
    "What is the capital of France?",
    "who won the world cup 2018",
    "make it faster",
    "asdfghjkl",
  ]) {
    const parts = await ask(question);
    expect(textOf(parts), question).toContain("The manual has no answer to that.");
    expect(textOf(parts), question).toContain("It has these pages: “API keys”, “Built-in models”");
    expect(sourcesOf(parts), question).toEqual([]);
  }
  const parts = await ask("write me a poem about the sea");
  expect(textOf(parts)).toContain("The closest pages: “Pattern: procedural pictures”");
});

it("greets back and offers questions to start with", async () => {
  expect(textOf(await ask("Hi there!"))).toContain("- How do I connect fal?");
});

it("reads a vague follow-up together with the question before it", async () => {
  expect(sourcesOf(await ask("How do I connect Ollama?", "and after that?"))[0]).toBe(
    "docs/manual/services/own/ollama.md#connect-ollama",
  );
});

it("says that it left out a file, and accepts neither pictures nor PDF in the composer", async () => {
  const warnings: Warning[] = [];
  const file: InputFile = {
    assetId: "a1",
    sha256: "",
    mime: "image/png",
    bytes: 70,
    name: "sketch.png",
    width: 8,
    height: 8,
    open: () => Promise.reject(new Error("The guide opens no file.")),
  };
  const parts = [
    { type: "text" as const, text: "What is a run?" },
    { type: "file" as const, file },
  ];
  await collectParts(
    askAdapter(builtin, { model: "guide", turns: [{ role: "user", parts }], warnings }),
  );
  expect(warnings.map(({ message }) => message)).toEqual([
    "This model can’t read files of type image/png. sketch.png was left out.",
  ]);
  expect(guide.facts.capabilities).toMatchObject({ imageInput: false, pdfInput: false });
});

it("streams words that add up to the answer, ends with a finish, and yields to other work in between", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const parts = await ask("What is a run?");
  isDone = true;
  const words = parts.filter((part) => part.type === "text");
  expect(words.length).toBeGreaterThan(40);
  expect(turns).toBeGreaterThanOrEqual(words.length);
  expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop", usage: {}, costMicros: 0 });
});

it("stops at the word where it is canceled", async () => {
  const canceller = new AbortController();
  let words = 0;
  const run = async () => {
    for await (const part of askAdapter(builtin, {
      model: "guide",
      said: ["What is a run?"],
      signal: canceller.signal,
    })) {
      if (part.type === "text") words += 1;
      if (words === 5) canceller.abort();
    }
  };
  await expect(run()).rejects.toThrow(/aborted/);
  expect(words).toBe(5);
});

it("uses a manual with short sections, working links and unique anchors", async () => {
  const sections = await readManual();
  expect(new Set(sections.map(({ document }) => document)).size).toBe(sections.length);
  const files = new Set(sections.map(({ document }) => document.replace(/#.*$/, "")));
  expect(files.size).toBeGreaterThanOrEqual(12);
  const documents = new Set([...sections.map(({ document }) => document), ...files]);
  for (const section of sections) {
    expect(section.text.length, section.document).toBeGreaterThan(60);
    expect(section.text.length, section.document).toBeLessThan(1_200);
    const at = new URL(section.document, "file:///");
    for (const [, target] of section.text.matchAll(/\]\(([^):]*\.md(?:#[^)]*)?|#[^)]+)\)/g))
      expect(documents, section.document).toContain(
        new URL(target!, at).pathname.slice(1) + new URL(target!, at).hash,
      );
  }
});

it("continues an interrupted answer without repeating anything", async () => {
  const whole = textOf(await ask("What is a run?"));
  const begun = whole.slice(0, 60);
  const turns = [
    { role: "user" as const, parts: [{ type: "text" as const, text: "What is a run?" }] },
    { role: "assistant" as const, parts: [{ type: "text" as const, text: begun }] },
  ];
  const rest = textOf(
    await collectParts(askAdapter(builtin, { model: "guide", task: "chat", turns })),
  );
  expect(begun + rest).toBe(whole);
});
