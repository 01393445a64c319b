import { isWholeCall, type LiveArguments } from "#contract/live-text.ts";

type Call = {
  name: string;
  text: string;
  /** The end of the text that hasn't been published. */
  unsent: string;
  isShown: boolean;
};
type Piece = Pick<LiveArguments, "call" | "name" | "offset" | "text">;

/**
 * The arguments of an answer's tool calls as they arrive. They are published call by call, in the
 * order in which programs receive them later: a call waits until the one before it is complete. If
 * a model writes several calls at once, only the first one is published as it arrives.
 */
export function createLiveCalls() {
  const calls: Call[] = [];
  /** The call that is published now, and the first one that may have text to publish. */
  let current = 0;
  let next = 0;

  function takeUnsent(place: number): Piece[] {
    const call = calls[place];
    if (!call) return [];
    const { name, text, unsent, isShown } = call;
    const offset = text.length - unsent.length;
    const held = heldBack(unsent, offset);
    if (held === unsent && isShown) return [];
    Object.assign(call, { unsent: held, isShown: true });
    return [{ call: place, name, offset, text: unsent.slice(0, unsent.length - held.length) }];
  }

  return {
    /** @returns whether there may be something to publish */
    add({ place, name, text }: { place: number; name: string; text: string }): boolean {
      const isNew = calls[place] === undefined;
      calls[place] ??= { name, text: "", unsent: "", isShown: false };
      const call = calls[place];
      call.text += text;
      call.unsent += text;
      if (isNew && place === current + 1 && isWholeCall(calls[current]?.text ?? ""))
        current = place;
      return place === current;
    },
    /** Takes what hasn't been published. */
    take(): Piece[] {
      const pieces: Piece[] = [];
      for (; next < current; next++) pieces.push(...takeUnsent(next));
      return [...pieces, ...takeUnsent(current)];
    },
    /** The published calls from their start, for a new reader. */
    shown: (): Piece[] =>
      calls.flatMap(({ name, text, unsent, isShown }, call) =>
        isShown
          ? [{ call, name, offset: 0, text: text.slice(0, text.length - unsent.length) }]
          : [],
      ),
    isShown: () => calls[0]?.isShown === true,
    /** What the model has written of its calls. */
    written: () => calls.map(({ name, text }) => `${name}${text}`).join(""),
  };
}

/**
 * The end of a text that isn't published yet: half of a surrogate pair, and spaces that nothing
 * precedes, because arguments of spaces alone are returned as `{}`.
 */
function heldBack(unsent: string, offset: number): string {
  if (offset === 0 && unsent.trim() === "") return unsent;
  const last = unsent.charCodeAt(unsent.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? unsent.slice(-1) : "";
}
