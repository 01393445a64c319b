import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Clock } from "#domain/runs/ids.ts";
import type { RealtimeFrame, RealtimeInput, RealtimeSession } from "#providers/adapter.ts";

export type CanvasInput = {
  input: number;
  settings: JsonObject;
  drawing: RealtimeInput["drawing"];
};
/** A frame as it is shown, with what it was made of. Times in ms: of the model with its line, and what Bottega added. */
export type ShownFrame = RealtimeFrame & {
  frame: number;
  of: CanvasInput;
  modelMs: number;
  ownMs: number;
};

/** A first answer may wait for a machine that starts; then something is broken when it takes so long. */
const patienceMs = { first: 180_000, later: 30_000 };
/** Frames and drawings that are remembered, for one to be pinned. */
const rememberedBytesMost = 24 * 1024 ** 2;

type InFlight = { of: CanvasInput; sentAt: number; ownMs: number };

/**
 * One input is with the model at a time, and only the newest waits: strokes never queue behind a slow model. What comes back
 * is handed on in the same turn.
 */
export function createRelay(
  clock: Pick<Clock, "monotonic">,
  on: { mayAsk(): boolean; frame(frame: ShownFrame): void },
) {
  let session: RealtimeSession | undefined;
  let inFlight: InFlight | undefined;
  let waiting: { of: CanvasInput; at: number } | undefined;
  let freeAt = Number.NEGATIVE_INFINITY;
  let frames = 0;
  const remembered: ShownFrame[] = [];

  function pump(): void {
    if (!session || inFlight || !waiting || !on.mayAsk()) return;
    const { of, at } = waiting;
    waiting = undefined;
    // While it waited for the model to be free, time was the model's.
    const begunAt = Math.max(at, freeAt);
    const { settings, drawing } = of;
    session.send({ settings, drawing });
    const sentAt = clock.monotonic();
    inFlight = { of, sentAt, ownMs: sentAt - begunAt };
  }

  function remember(frame: ShownFrame): void {
    remembered.push(frame);
    const bytes = (): number =>
      remembered.reduce(
        (sum, known) => sum + known.bytes.length + (known.of.drawing?.bytes.length ?? 0),
        0,
      );
    while (
      remembered.length > limits.pinnableFrames ||
      (remembered.length > 1 && bytes() > rememberedBytesMost)
    )
      remembered.shift();
  }

  return {
    open(opened: RealtimeSession) {
      session = opened;
      pump();
    },
    /** The newest input: one that still waits is dropped. */
    ask(of: CanvasInput) {
      waiting = { of, at: clock.monotonic() };
      pump();
    },
    /** The answer to the input that is with the model; @returns its input, undefined when none is */
    answered(came: readonly RealtimeFrame[]): CanvasInput | undefined {
      const at = clock.monotonic();
      const asked = inFlight;
      if (!asked) return undefined;
      inFlight = undefined;
      freeAt = at;
      for (const frame of came) {
        const own = asked.ownMs + clock.monotonic() - at;
        const shown = {
          ...frame,
          frame: frames++,
          of: asked.of,
          modelMs: at - asked.sentAt,
          ownMs: own,
        };
        on.frame(shown);
        remember(shown);
      }
      return asked.of;
    },
    pump,
    /** Whether the model owes an answer for longer than anyone waits. */
    isStuck: (): boolean =>
      inFlight !== undefined &&
      clock.monotonic() - inFlight.sentAt > (frames === 0 ? patienceMs.first : patienceMs.later),
    /** An input is with the model, which will be paid for what it makes of it. */
    owesAnswer: (): boolean => inFlight !== undefined,
    isBusy: (): boolean => inFlight !== undefined || waiting !== undefined,
    frameOf: (number: number): ShownFrame | undefined =>
      remembered.find(({ frame }) => frame === number),
    close() {
      session?.close();
      session = undefined;
      waiting = undefined;
      inFlight = undefined;
    },
  };
}
