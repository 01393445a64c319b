import { AsyncLocalStorage } from "node:async_hooks";
import type { CallContext } from "../../adapter.ts";

/** One call of a tool, known to whatever its request passes on the way out. */
export type ToolCallInHand = Pick<CallContext, "fetch"> & {
  /** Told before the first byte goes, where it does not go through `fetch`. */
  markSent(): void;
  /** The server has ended its answer; harmless when the result had come. */
  onAnswerEnd(): void;
};
export const callInHand = new AsyncLocalStorage<ToolCallInHand>();
