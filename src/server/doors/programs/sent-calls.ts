import { Problem } from "#contract/errors.ts";
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
  return {
    /**
     * Reads the piece of an event, and counts it as sent; undefined for any other event. A call
     * waits for the end while one before it does.
     */
    take(event: StreamedEvent): CallPiece | undefined {
      if (event.type !== "arguments-delta" || !("payload" in event)) return undefined;
      const {
        call: place,
        name,
        text,
      } = event.payload as {
        call: number;
        name: string;
        text: string;
      };
      if (place > sent.length) return undefined;
      const isFirst = sent[place] === undefined;
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
