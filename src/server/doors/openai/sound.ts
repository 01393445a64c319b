import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "../programs/follow.ts";
import { type CompletedRuns, collect, type StartedRuns } from "./make.ts";

/** A piece of a recording and its type. */
type Piece = { bytes: Uint8Array; mime: string };
export type Sound = AsyncGenerator<Piece, CompletedRuns | undefined>;

/**
 * Yields a recording as its provider sends it, if this server receives it; otherwise, and after a
 * repeat, all at once at the end.
 * @returns its run, which has the saved file; undefined when the client has gone
 * @throws RunProblem when there is no result
 */
export async function* soundOf(deps: ServerDeps, asking: Asking, begun: StartedRuns): Sound {
  const runId = begun.runs[0]!.id;
  let wake = (): void => undefined;
  let hasNews = false;
  const onChunk = (): void => {
    hasNews = true;
    wake();
  };
  const unsubscribe = deps.hub.onSound(runId, onChunk);
  let isOver = false;
  const ended = collect(deps, asking, begun);
  const onEnd = (): void => {
    isOver = true;
    onChunk();
  };
  ended.then(onEnd, onEnd);
  const sent = createHash("sha256");
  let length = 0;
  let attempt: number | undefined;
  try {
    for (;;) {
      hasNews = false;
      const wasOver = isOver;
      const sound = deps.hub.soundOf(runId);
      attempt ??= sound?.attempt;
      // Another attempt may produce a different recording.
      const bytes = sound?.attempt === attempt ? await sound?.read(length) : undefined;
      if (bytes) {
        sent.update(bytes);
        length += bytes.byteLength;
        yield { bytes, mime: sound?.mime ?? unknownMime };
      } else if (wasOver) break;
      // More may have arrived while it was read.
      else if (!hasNews) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unsubscribe();
  }
  const made = await ended;
  // Bytes without a header (PCM) don't reveal their kind.
  const recording = made?.assets.find(({ kind }) => kind === "audio") ?? made?.assets[0];
  if (!made || !recording) return undefined;
  const whole = await deps.blobs.get(recording.sha256);
  for await (const bytes of restOf(whole, { length, sha256: sent.digest("hex") }))
    yield { bytes, mime: recording.mime };
  return made;
}

const unknownMime = "application/octet-stream";

/**
 * Yields the part of a stored recording after the bytes already sent.
 * @throws Problem when its start differs from them
 */
async function* restOf(
  stored: AsyncIterable<Uint8Array>,
  sent: { length: number; sha256: string },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const same = createHash("sha256");
  let left = sent.length;
  let isSame = false;
  const check = (): void => {
    isSame ||= left === 0 && same.digest("hex") === sent.sha256;
    if (!isSame) throw new Problem("provider_interrupted", { message: sentences.answers.noFinish });
  };
  for await (const chunk of stored) {
    const known = chunk.subarray(0, left);
    if (known.byteLength > 0) same.update(known);
    left -= known.byteLength;
    if (known.byteLength === chunk.byteLength) continue;
    check();
    yield new Uint8Array(chunk.subarray(known.byteLength));
  }
  check();
}

/**
 * Streams the rest of a recording at the reader's pace. If the recording breaks off, the connection
 * is broken too.
 */
export function bodyOf(
  first: Uint8Array,
  sound: Sound,
  { c }: Pick<Asking, "c">,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      // The run says why it ended.
      const { value, done } = await sound.next().catch(() => {
        c.env.outgoing.destroy();
        return { value: undefined, done: true as const };
      });
      if (done) controller.close();
      else controller.enqueue(value.bytes);
    },
    cancel: async () => void (await sound.return(undefined)),
  });
}
