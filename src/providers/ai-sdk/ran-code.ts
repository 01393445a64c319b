import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, ToolRecord } from "../adapter.ts";
import type { OpenRecord } from "../wire/chat-prompt.ts";
import { isRecord } from "../wire/error-fields.ts";

/** The limit for one output. Longer output belongs in a file, and the model has already read it. */
const outputCharacters = 4_000;
/** The limit for all records of an answer, because each following question sends them again. */
const recordCharacters = 24_000;

/** The name of the code tool in both clients. */
const toolName = "code_execution";

export const shortened = (text: string): string =>
  text.length > outputCharacters ? `${text.slice(0, outputCharacters).toWellFormed()}\n[…]` : text;

/** Wraps text in a Markdown block, with a fence longer than any backticks in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

/** Shows a program with the model's reasoning. */
export const programPart = (code: string, language: string): AnswerPart[] =>
  code === "" ? [] : [{ type: "reasoning", text: fenced(code, language) }];

/** Shows a program's output, and the reason of a failure. */
export function outputParts(output: string, failure: string | null): AnswerPart[] {
  const printed = output.trim() === "" ? "" : fenced(shortened(output.trimEnd()), "text");
  const failed =
    failure === null ? "" : `\n\n${sentences.answers.codeFailed({ reason: failure })}\n\n`;
  return printed || failed ? [{ type: "reasoning", text: `${printed}${failed}` }] : [];
}

/**
 * Creates the records of one answer within the limit: a call without its result would be refused.
 */
export function createRecords() {
  let left = recordCharacters;
  return (call: ToolRecord["data"], result: ToolRecord["data"]): AnswerPart[] => {
    const data = { call, result };
    left -= JSON.stringify(data).length;
    return left > 0 ? [{ type: "tool-record", data }] : [];
  };
}

/** Converts a call and its result to the form in which the AI SDK's clients send them back. */
export const openCodeRecord: OpenRecord = ({ call, result }) => {
  if (!isRecord(call) || !isRecord(result) || typeof call.id !== "string") return [];
  const named = { toolCallId: call.id, toolName };
  return [
    { type: "tool-call", ...named, input: call.input, providerExecuted: true },
    {
      type: "tool-result",
      ...named,
      output: { type: "json", value: result as ToolRecord["data"] },
    },
  ];
};
