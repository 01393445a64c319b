import { onTestFinished } from "vitest";
import type {
  AnswerPart,
  ChatTurn,
  InputFile,
  OpenConnection,
  PlainQuestion,
  RunContext,
  RunRequest,
} from "#providers/adapter.ts";
import {
  createOutbound,
  type OutboundOptions,
  type WireEvent,
} from "#providers/outbound/outbound.ts";

type Warning = Parameters<RunContext["warn"]>[0];

/**
 * The context of a paid attempt on a connection to a server on this machine, through the real
 * guarded fetch. Ended with the test.
 */
export function buildContext(options: {
  origin: string;
  connection: Omit<OpenConnection, "id">;
  outbound?: Partial<OutboundOptions> | undefined;
  signal?: AbortSignal | undefined;
}) {
  const outbound = createOutbound();
  onTestFinished(() => outbound.close());
  const warnings: Warning[] = [];
  const wire: WireEvent[] = [];
  const context: RunContext = {
    connection: { id: "connection-1", ...options.connection },
    fetch: outbound.open({
      privateOrigins: [options.origin],
      onePost: true,
      onWire: (event) => wire.push(event),
      ...options.outbound,
    }),
    signal: options.signal ?? new AbortController().signal,
    clock: { now: () => Date.parse("2026-11-02T10:00:00Z") },
    clientToken: "attempt-1",
    warn: (warning) => warnings.push(warning),
  };
  return { context, warnings, wire };
}

export function buildRequest(
  request: Partial<RunRequest> & { turns?: ChatTurn[] } = {},
): RunRequest {
  return {
    runId: "run-1",
    task: "chat",
    model: { id: "sim-chat", inputSchema: null, capabilities: {} },
    input: { maxOutputTokens: 100 },
    turns: [{ role: "user", parts: [{ type: "text", text: "hello there" }] }],
    files: new Map(),
    ...request,
  };
}

export function buildFile(name: string, mime: string, content: Uint8Array | string): InputFile {
  const bytes = Buffer.from(content as string);
  return {
    assetId: name,
    sha256: "",
    mime,
    bytes: bytes.length,
    name,
    width: null,
    height: null,
    async open() {
      return (async function* () {
        // In chunks, as a store reads.
        for (let from = 0; from < bytes.length; from += 1_000)
          yield bytes.subarray(from, from + 1_000);
      })();
    },
  };
}

/** Reads an answer to its end: its parts with their files, and how it ended. */
export async function collect(answer: AsyncIterable<AnswerPart>) {
  let text = "";
  let reasoning = "";
  const parts: AnswerPart[] = [];
  const sound: Uint8Array[] = [];
  const files: { name: string; mime?: string | undefined; url?: string; bytes?: Buffer }[] = [];
  let error: unknown = null;
  try {
    for await (const part of answer) {
      parts.push(part);
      if (part.type === "text") text += part.text;
      if (part.type === "reasoning") reasoning += part.text;
      if (part.type === "sound") sound.push(part.bytes);
      if (part.type === "recorded") {
        const { name, mime } = part;
        files.push({ name, mime, bytes: Buffer.concat(sound) });
      }
      if (part.type === "file") {
        const { output } = part;
        const file = { name: output.name, mime: output.mime };
        if ("url" in output) files.push({ ...file, url: output.url });
        else if ("bytes" in output) files.push({ ...file, bytes: Buffer.from(output.bytes) });
        else {
          const chunks: Uint8Array[] = [];
          for await (const chunk of await output.open()) chunks.push(chunk);
          files.push({ ...file, bytes: Buffer.concat(chunks) });
        }
      }
    }
  } catch (thrown) {
    error = thrown;
  }
  return {
    text,
    reasoning,
    parts,
    files,
    error,
    finish: parts.find((part) => part.type === "finish"),
  };
}

/** A question whose tool was used, for counting its tokens. */
export const toolQuestion: PlainQuestion = {
  system: "Be brief.",
  messages: [
    { role: "user", content: "Rain in Bergen?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "call_1", name: "weather", input: { place: "Bergen" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "Rain." }] },
  ],
  tools: [{ name: "weather", input_schema: { type: "object" } }],
};
