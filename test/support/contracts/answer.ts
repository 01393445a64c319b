import { createHash } from "node:crypto";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { Adapter, AnswerPart, ChatTurn, InputFile, RunContext } from "#providers/adapter.ts";

export type Warning = Parameters<RunContext["warn"]>[0];

export type Asked = {
  model: string;
  task?: Task;
  input?: JsonObject;
  /** The person's messages, oldest first. */
  said?: readonly string[];
  /** The whole conversation, instead of `said`. */
  turns?: ChatTurn[];
  files?: readonly InputFile[];
  signal?: AbortSignal;
  warnings?: Warning[];
};

/** Calls an adapter's `answer` like the engine; the network is blocked. */
export function askAdapter(adapter: Adapter, asked: Asked): AsyncIterable<AnswerPart> {
  if (!adapter.answer) throw new Error(`${adapter.kind} does not answer.`);
  const {
    model,
    task = "other",
    input = {},
    said = [],
    files = [],
    signal = new AbortController().signal,
    warnings = [],
  } = asked;
  const request = {
    runId: "run-1",
    task,
    model: { id: model, inputSchema: null, capabilities: {} },
    input,
    turns:
      asked.turns ??
      said.map((text) => ({ role: "user" as const, parts: [{ type: "text" as const, text }] })),
    files: new Map(files.map((file) => [file.assetId, file])),
  };
  const context: RunContext = {
    connection: {
      id: "connection-1",
      kind: adapter.kind,
      addresses: {},
      options: {},
      secret: null,
    },
    fetch: () => Promise.reject(new Error("This adapter must not call anybody.")),
    signal,
    clock: { now: () => 1_700_000_000_000 },
    clientToken: "token-1",
    warn: (warning) => warnings.push(warning),
  };
  return adapter.answer(request, context);
}

export async function collectParts(parts: AsyncIterable<AnswerPart>): Promise<AnswerPart[]> {
  const all: AnswerPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** An answer's only file, with its bytes. */
export function fileOf(parts: readonly AnswerPart[]) {
  const files = parts.flatMap((part) => (part.type === "file" ? [part.output] : []));
  const [file] = files;
  if (files.length !== 1 || !file || !("bytes" in file))
    throw new Error(`Expected one file with bytes, got ${files.length}.`);
  return file;
}

export const textOf = (parts: readonly AnswerPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

export const sha256 = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** A file opened like the engine does from the store, in several chunks. */
export function buildInputFile(
  assetId: string,
  bytes: Uint8Array,
  facts: Partial<InputFile> = {},
): InputFile {
  return {
    assetId,
    sha256: sha256(bytes),
    mime: "image/png",
    bytes: bytes.byteLength,
    name: `${assetId}.png`,
    width: null,
    height: null,
    async open() {
      return (async function* () {
        for (let from = 0; from < bytes.byteLength; from += 10_000)
          yield bytes.subarray(from, from + 10_000);
      })();
    },
    ...facts,
  };
}
