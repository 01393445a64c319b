import { AsyncLocalStorage } from "node:async_hooks";
import type { ElicitResult } from "@modelcontextprotocol/client";
import type { CallContext } from "../../adapter.ts";

/** One tool call, visible to every layer of its request. */
export type ToolCallInHand = Pick<CallContext, "fetch"> & {
  /** Called before the first byte is sent, if it does not go through `fetch`. */
  markSent(): void;
  /** A question of the server's during this call, until it takes it back. */
  ask(params: unknown, withdrawn: AbortSignal): Promise<ElicitResult>;
  /** The server has ended its answer; harmless when the result had come. */
  onAnswerEnd(): void;
};
export const callInHand = new AsyncLocalStorage<ToolCallInHand>();
