import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "../programs/follow.ts";
import { type Begun, collect, type Made, readBytes } from "./make.ts";

/** A piece of a recording, and what it is. */
type Piece = { bytes: Uint8Array; mime: string };
export type Sound = AsyncGenerator<Piece, Made | undefined>;

/**
 * A recording as its provider sends it, where this server reads it; else, and after a repeat, whole at its end.
 * @returns its run, which has kept the file; undefined when the client has gone @throws RunProblem when nothing came
 */
export async function* soundOf(deps: ServerDeps, asking: Asking, begun: Begun): Sound {
  const runId = begun.runs[0]!.id;
  let wake = (): void => undefined;
  const deaf = deps.hub.onSound(runId, () => wake());
  let isOver = false;
  const ended = collect(deps, asking, begun);
  const onEnd = (): void => {
    isOver = true;
    wake();
  };
  ended.then(onEnd, onEnd);
  const sent = createHash("sha256");
  let length = 0;
  let heard = 0;
  let attempt: number | undefined;
  try {
    for (;;) {
      const sound = deps.hub.soundOf(runId);
      attempt ??= sound?.attempt;
      // What another attempt says may be another recording.
      const bytes = sound?.attempt === attempt ? sound?.pieces[heard] : undefined;
      if (bytes) {
        heard += 1;
        sent.update(bytes);
        length += bytes.byteLength;
        yield { bytes, mime: sound?.mime ?? unknownMime };
      } else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    deaf();
  }
  const made = await ended;
  // Bytes without a header (PCM) tell no kind.
  const recording = made?.assets.find(({ kind }) => kind === "audio") ?? made?.assets[0];
  if (!made || !recording) return undefined;
  const whole = await readBytes(deps, recording);
  if (hashOf(whole.subarray(0, length)) !== sent.digest("hex"))
    throw new Problem("provider_interrupted", { message: sentences.answers.noFinish });
  if (whole.length > length)
    yield { bytes: new Uint8Array(whole.subarray(length)), mime: recording.mime };
  return made;
}

const unknownMime = "application/octet-stream";
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The rest of a recording as a body, read as its reader reads. Its connection is torn where the recording breaks off. */
export function bodyOf(
  first: Uint8Array,
  sound: Sound,
  { c }: Pick<Asking, "c">,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      // Its run says why it ended.
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
