import type { Writable } from "node:stream";

export type TurnWrites = {
  /** Call before each write, to hold writes back until the turn of the event loop ends. */
  gather(): void;
  /** Sends everything held back. */
  handOn(): void;
};

/**
 * Combines all writes of one turn: words arrive one by one, and each system call takes longer than
 * writing the frame.
 */
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
