import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Clock } from "#domain/runs/ids.ts";
import type { RealtimeFrame, RealtimeInput, RealtimeSession } from "#providers/adapter.ts";

export type CanvasInput = {
  input: number;
  settings: JsonObject;
  drawing: RealtimeInput["drawing"];
};
/**
 * A displayed frame with its input. `modelMs` is the time of the model and its connection, `ownMs`
 * the time that Bottega added.
 */
export type ShownFrame = RealtimeFrame & {
  frame: number;
  of: CanvasInput;
  modelMs: number;
  ownMs: number;
};

/**
 * How long to wait for an answer before the session counts as broken. The first one may wait for a
 * machine to start.
 */
const patienceMs = { first: 180_000, later: 30_000 };
/** The size of the frames and drawings remembered for pinning. */
const maxRememberedBytes = 24 * 1024 ** 2;

type InFlight = { of: CanvasInput; sentAt: number; ownMs: number };

/**
 * Relays inputs and frames. One input is with the model at a time and only the newest waits, so
 * strokes never queue behind a slow model. Frames are passed on in the same event-loop turn.
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
    // The time that an input waits for a busy model counts as the model's.
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
      (remembered.length > 1 && bytes() > maxRememberedBytes)
    )
      remembered.shift();
  }

  return {
    open(opened: RealtimeSession) {
      session = opened;
      pump();
    },
    /** Sets the newest input, which replaces one that is still waiting. */
    ask(of: CanvasInput) {
      waiting = { of, at: clock.monotonic() };
      pump();
    },
    /**
     * Processes the answer to the input that the model has.
     * @returns that input; undefined if there is none
     */
    answered(answerFrames: readonly RealtimeFrame[]): CanvasInput | undefined {
      const at = clock.monotonic();
      const asked = inFlight;
      if (!asked) return undefined;
      inFlight = undefined;
      freeAt = at;
      for (const frame of answerFrames) {
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
    /** Whether the model's answer is overdue. */
    isStuck: (): boolean =>
      inFlight !== undefined &&
      clock.monotonic() - inFlight.sentAt > (frames === 0 ? patienceMs.first : patienceMs.later),
    /** Whether the model has an input, whose result has to be paid for. */
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
