import { setImmediate } from "node:timers/promises";
import { sentences } from "#contract/sentences/index.ts";
import type { InputFile, RunRequest } from "../../adapter.ts";
import type { BuiltinModel } from "../model.ts";
import { readManual, type Section } from "./manual.ts";
import { composeReply, exampleQuestions } from "./reply.ts";
import { createSearch } from "./search.ts";

/** Answers questions about Bottega from its own manual. */
export const guide: BuiltinModel = {
  facts: {
    id: "guide",
    name: "Guide",
    description: "Answers questions about Bottega by searching its manual. Not a language model.",
    tasks: ["chat"],
    inputModalities: ["text"],
    outputModalities: ["text"],
    inputSchema: {
      title: "Guide",
      type: "object",
      properties: {},
      examples: exampleQuestions.map((prompt) => ({ prompt })),
    },
    capabilities: {
      deterministic: true,
      prefill: true,
      tools: false,
      imageInput: false,
      pdfInput: false,
    },
  },
  async *answer(request, context) {
    for (const { name, mime } of filesOf(request)) {
      const message = sentences.files.typeNotRead({ type: mime, file: name });
      context.warn({ type: "unsupported", feature: mime, message });
    }
    const sections = await readManual();
    const reply = composeReply(questionsOf(request), await createSearch(sections), sections);
    for (const piece of restOf(reply.text, request).match(/\S+\s*/g) ?? []) {
      context.signal.throwIfAborted();
      yield { type: "text", text: piece };
      // Yields to other work; a loop of resolved promises would block the thread until the last
      // word.
      await setImmediate();
    }
    for (const source of reply.sources)
      yield { type: "source", title: titleOf(source), document: source.document };
    yield { type: "finish", reason: "stop", usage: {}, costMicros: 0 };
  },
};

/** Returns the unsent part of an interrupted answer: the same question has the same answer. */
function restOf(text: string, request: RunRequest): string {
  const last = request.turns.at(-1);
  const begun =
    last?.role === "assistant"
      ? last.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
      : "";
  return text.startsWith(begun) ? text.slice(begun.length) : text;
}

/** Returns the files of the last message. */
const filesOf = (request: RunRequest): InputFile[] =>
  (request.turns.findLast((turn) => turn.role === "user")?.parts ?? []).flatMap((part) =>
    part.type === "file" ? [part.file] : [],
  );

const questionsOf = (request: RunRequest): string[] =>
  request.turns
    .filter((turn) => turn.role === "user")
    .map((turn) =>
      turn.parts
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("\n")
        .slice(0, 2_000),
    );

const titleOf = ({ title, pageTitle }: Section): string =>
  title === pageTitle ? pageTitle : `${pageTitle}: ${title}`;
