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

/** Longer numbers may be more than a JavaScript number can hold. */
const longNumber = /\d{16}/;

/**
 * Parses JSON that JSON.stringify then writes with the same numbers. One that a JavaScript number
 * can't hold becomes an object that stands for its text.
 */
export const parseExactly = (text: string): unknown =>
  JSON.parse(text, longNumber.test(text) ? keepNumber : undefined);

const keepNumber = ((_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === "number" && source !== undefined && String(value) !== source
    ? rawJson(source)
    : value) as Parameters<typeof JSON.parse>[1];

const rawJson = (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON;

/** The input of a call, to be written with the numbers that its model wrote. */
export const exactInput = ({ input, written }: Pick<ToolCall, "input" | "written">): unknown =>
  written === undefined ? input : parseExactly(written);
