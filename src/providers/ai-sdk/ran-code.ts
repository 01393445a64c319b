import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, ToolRecord } from "../adapter.ts";
import type { OpenRecord } from "../wire/chat-prompt.ts";
import { isRecord } from "../wire/error-fields.ts";

/** Of one output. What is longer belongs into a file, and the model has read it already. */
const outputCharacters = 4_000;
/** Of all records of an answer: they are read again with each question that follows. */
const recordCharacters = 24_000;

/** The name under which both clients know their code tool. */
const toolName = "code_execution";

export const shortened = (text: string): string =>
  text.length > outputCharacters ? `${text.slice(0, outputCharacters).toWellFormed()}\n[…]` : text;

/** Text as a block of Markdown, whatever backticks it has itself. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

/** A program, shown with the model's reasoning. */
export const programPart = (code: string, language: string): AnswerPart[] =>
  code === "" ? [] : [{ type: "reasoning", text: fenced(code, language) }];

/** What a program printed, and why it failed. */
export function outputParts(output: string, failure: string | null): AnswerPart[] {
  const printed = output.trim() === "" ? "" : fenced(shortened(output.trimEnd()), "text");
  const failed =
    failure === null ? "" : `\n\n${sentences.answers.codeFailed({ reason: failure })}\n\n`;
  return printed || failed ? [{ type: "reasoning", text: `${printed}${failed}` }] : [];
}

/** The records of one answer, as long as there is room for them: a call without its result would be refused. */
export function createRecords() {
  let left = recordCharacters;
  return (call: ToolRecord["data"], result: ToolRecord["data"]): AnswerPart[] => {
    const data = { call, result };
    left -= JSON.stringify(data).length;
    return left > 0 ? [{ type: "tool-record", data }] : [];
  };
}

/** A call and its result, as the clients of the AI SDK send both back. */
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
