import { Problem } from "#contract/errors.ts";
import { isWholeCall } from "#contract/live-text.ts";
import type { ToolCall } from "#engine/plan/turns.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";

/** The next part of a call's arguments. `isFirst`: the program doesn't know the call yet. */
export type CallPiece = { place: number; name: string; text: string; isFirst: boolean };

/**
 * Tracks which part of each call a program has. The pieces arrive before the run is saved, and the
 * rest follows from the saved run.
 */
export function createSentCalls() {
  const sent: { name: string; text: string }[] = [];
  /** The first call that waits for the end, with all after it. */
  let waiting = Number.POSITIVE_INFINITY;
  return {
    /**
     * Reads the piece of an event, and counts it as sent; undefined for any other event. A call
     * waits for the end if the program lacks a part of it, or of the one before it.
     */
    take(event: StreamedEvent): CallPiece | undefined {
      if (event.type !== "arguments-delta" || !("payload" in event)) return undefined;
      const {
        call: place,
        name,
        offset,
        text,
      } = event.payload as {
        call: number;
        name: string;
        offset: number;
        text: string;
      };
      const isFirst = sent[place] === undefined;
      const before = sent[place - 1];
      if (isFirst && place > 0 && !(before && place < waiting && isWholeCall(before.text)))
        waiting = Math.min(waiting, place);
      if (place >= waiting || offset !== (sent[place]?.text.length ?? 0)) return undefined;
      sent[place] ??= { name, text: "" };
      sent[place].text += text;
      return { place, name, text, isFirst };
    },
    /**
     * @param whole the call's arguments
     * Returns the part of a saved call that the program doesn't have.
     * @throws Problem internal for a call that begins differently, because calls are never mixed
     */
    restOf(call: ToolCall, place: number, whole: string): CallPiece {
      const { name, text } = sent[place] ?? { name: call.name, text: "" };
      if (name !== call.name || !whole.startsWith(text)) throw new Problem("internal");
      return { place, name, text: whole.slice(text.length), isFirst: sent[place] === undefined };
    },
  };
}
