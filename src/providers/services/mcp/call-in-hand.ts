import { AsyncLocalStorage } from "node:async_hooks";
import type { ElicitResult } from "@modelcontextprotocol/client";
import type { CallContext } from "../../adapter.ts";

/** A tool call, visible to every layer of its request. */
export type ToolCallInHand = Pick<CallContext, "fetch"> & {
  /** Called before the first byte is sent, if it doesn't go through `fetch`. */
  markSent(): void;
  /** A question from the server during this call, valid until it is withdrawn. */
  ask(params: unknown, withdrawn: AbortSignal): Promise<ElicitResult>;
  /** The server has ended its response; harmless if the result has arrived. */
  onAnswerEnd(): void;
};
export const callInHand = new AsyncLocalStorage<ToolCallInHand>();
