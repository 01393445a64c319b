import type { JsonObject } from "#contract/json.ts";
import type { ToolCall } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

/** A call whose input came as JSON text. Text that is no object is stored as `malformed`, so that the model learns of it. */
export function toToolCall(callId: string, name: string, input: string): ToolCall {
  const call = { type: "tool-call" as const, callId, name };
  // A tool without inputs is called with nothing by some.
  if (input.trim() === "") return { ...call, input: {} };
  try {
    const read: unknown = JSON.parse(input);
    if (isRecord(read))
      return {
        ...call,
        input: read as JsonObject,
        ...(JSON.stringify(read) !== input && { written: input }),
      };
  } catch {
    // As malformed as what parses into something else.
  }
  return { ...call, input: {}, malformed: input };
}
