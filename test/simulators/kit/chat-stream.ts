import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Behaviour, Fault, Gates, Post } from "./behaviour.ts";
import { reset } from "./server.ts";

type Piece = string | Uint8Array;

/**
 * A provider's format of a streamed answer: each function returns the bytes of one event, in the
 * answer's order.
 */
export type AnswerWire = {
  contentType: string;
  headers?: Record<string, string>;
  /** Before any content. */
  start(): Piece[];
  reasoning(thought: string): Piece[];
  word(word: string): Piece[];
  /** The requested tools, after the text. */
  toolCalls(calls: NonNullable<Behaviour["toolCalls"]>): Piece[];
  /** The reason for the end. A connection may be reset between this and `last`. */
  finish(): Piece[];
  /** After the finish: usage, the end mark. */
  last(): Piece[];
  /** An error in the middle of the answer. */
  error(error: unknown): Piece[];
  /** A piece that no reader can parse. */
  unreadable: Piece;
  /** The beginning of a piece, cut in the middle of a character. */
  halfCharacter: Piece;
};

/** Streams `words` with the faults, gates and timings of `behaviour`. */
export async function streamAnswer(
  wire: AnswerWire,
  words: readonly string[],
  {
    behaviour,
    post,
    response,
    gates,
  }: { behaviour: Behaviour; post: Post; response: ServerResponse; gates: Gates },
): Promise<void> {
  const { fault, gate } = behaviour;
  response.writeHead(200, {
    "content-type": wire.contentType,
    "cache-control": "no-cache",
    ...wire.headers,
  });
  response.flushHeaders();
  const write = createWriter(response, behaviour.splitBytes);
  if (fault?.kind === "raw") {
    await write([fault.body]);
    response.end();
    return;
  }
  if (fault?.kind === "reset" && fault.at === "head") return reset(response, post);

  await sleep(behaviour.firstTokenMs ?? 0);
  await write(wire.start());
  for (const thought of behaviour.reasoning ?? []) await write(wire.reasoning(thought));
  for (const [index, word] of words.entries()) {
    if (gate?.at === index) await gates.wait(gate.name);
    if (index > 0 && behaviour.betweenMs) await sleep(behaviour.betweenMs);
    if (fault && (await failAt(fault, index))) return;
    await write(wire.word(behaviour.stamped ? `${index}:${process.hrtime.bigint()} ` : word));
    if (response.destroyed) return;
  }
  if (gate?.at === words.length) await gates.wait(gate.name);
  if (fault && (await failAt(fault, words.length))) return;
  if (behaviour.toolCalls) {
    const pieces = wire.toolCalls(behaviour.toolCalls);
    await write(pieces.slice(0, -1));
    if (gate?.at === "call") await gates.wait(gate.name);
    if (fault?.kind === "reset" && fault.at === "call") return reset(response, post);
    await write(pieces.slice(-1));
  }
  await write(wire.finish());
  if (fault?.kind === "reset" && fault.at === "end") return reset(response, post);
  await write(wire.last());
  response.end();

  /** True if the answer ended here. */
  async function failAt(failing: Fault, index: number): Promise<boolean> {
    if (failing.kind === "reset" && failing.at === index) {
      reset(response, post);
      return true;
    }
    if (!("after" in failing) || failing.after !== index) return false;
    if (failing.kind === "error-event") await write(wire.error(failing.error));
    if (failing.kind === "nan") await write([wire.unreadable]);
    if (failing.kind === "half-character") await write([wire.halfCharacter]);
    response.end();
    return true;
  }
}

/** The answer's words according to `behaviour`, by default the question's. */
export function wordsOf(behaviour: Behaviour, question: string): string[] {
  if (Array.isArray(behaviour.text)) return behaviour.text;
  if (behaviour.tokens !== undefined)
    return Array.from({ length: behaviour.tokens }, (_, index) => `word${index} `);
  return (behaviour.text ?? `You said: ${question}`).match(/\s*\S+/g) ?? [];
}

/** Writes everything at once, or in separate pieces of a size; waits for slower readers. */
function createWriter(response: ServerResponse, splitBytes: number | undefined) {
  const send = (piece: Uint8Array) =>
    new Promise<void>((resolve) => {
      if (response.destroyed) resolve();
      else response.write(piece, () => resolve());
    });
  return async (pieces: readonly Piece[]) => {
    for (const piece of pieces) {
      const bytes = Buffer.from(piece as string);
      const size = splitBytes ?? bytes.length;
      for (let from = 0; from < bytes.length; from += size)
        await send(bytes.subarray(from, from + size));
    }
  };
}
