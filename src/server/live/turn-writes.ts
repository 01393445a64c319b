import type { Writable } from "node:stream";

export type TurnWrites = {
  /** Called before each write: holds it back until the turn of the event loop ends. */
  gather(): void;
  /** Sends now what was held back. */
  handOn(): void;
};

/** Lets all writes of one turn leave in one: words come one by one, and each system call takes longer than its frame. */
export function gatherTurnWrites(stream: Writable): TurnWrites {
  let isGathering = false;
  const handOn = (): void => {
    if (isGathering) stream.uncork();
    isGathering = false;
  };
  return {
    gather() {
      if (isGathering) return;
      isGathering = true;
      stream.cork();
      setImmediate(handOn);
    },
    handOn,
  };
}
