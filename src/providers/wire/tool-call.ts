import type { JsonObject } from "#contract/json.ts";
import type { ToolCall } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

/**
 * Parses a call whose input arrived as JSON text. Text that isn't an object is stored as
 * `malformed`, so that the model learns of it.
 */
export function toToolCall(callId: string, name: string, input: string): ToolCall {
  const call = { type: "tool-call" as const, callId, name };
  // Some models call a tool without inputs with empty text.
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
    // Handled below, like text that parses to something else.
  }
  return { ...call, input: {}, malformed: input };
}
