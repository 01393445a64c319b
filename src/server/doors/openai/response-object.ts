import type { ResponseBody } from "#contract/schemas/doors/openai.ts";
import type { ToolCall } from "#engine/plan/turns.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { callIdOf, writtenInput } from "../programs/earlier-answers.ts";
import { extraFields, type IgnoredParameters, usageOf } from "../programs/follow.ts";
import { answerOf, urlCitations } from "./chat.ts";
import { itemIdOf } from "./item-ids.ts";
import { type OfferedTool, readTools, textOfCall } from "./tools.ts";

const responseIdOf = (runId: string): string => `resp_${runId}`;
/** The fields of its run that a response needs. */
export type Started = Pick<OwnedRun, "id" | "createdAt"> & Partial<Pick<OwnedRun, "attempts">>;
/** The tools within the input of a conversation. */
export type AddedTools = NonNullable<ResponseBody["tools"]>;
/** The parameters of a request other than its input, and the tools of its conversation. */
export type AskedResponse = Omit<ResponseBody, "input"> & { additional_tools?: AddedTools };
/** All tools that a request offers. */
export const toolsOf = ({ tools, additional_tools: added }: AskedResponse): AddedTools => [
  ...(tools ?? []),
  ...(added ?? []),
];

/** The fields that the official clients expect in every response, in any state. */
export const frameOf = (body: AskedResponse, run: Started) => ({
  id: responseIdOf(run.id),
  object: "response" as const,
  created_at: Math.floor(run.createdAt / 1000),
  status: "in_progress" as string,
  background: body.background ?? false,
  error: null,
  incomplete_details: null as { reason: string } | null,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  model: body.model,
  output: [] as object[],
  parallel_tool_calls: body.parallel_tool_calls !== false,
  previous_response_id: body.previous_response_id || null,
  reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
  store: body.store ?? true,
  temperature: body.temperature ?? null,
  text: { format: body.text?.format ?? { type: "text" } },
  tool_choice: body.tool_choice ?? "auto",
  tools: toolsOf(body),
  top_p: body.top_p ?? null,
  top_logprobs: body.top_logprobs ?? 0,
  truncation: body.truncation ?? "disabled",
  usage: null as object | null,
  metadata: body.metadata ?? {},
});

/**
 * Returns reasoning as its summary. Its encrypted content, if requested, is only a reference: the
 * reasoning stays with its run, and is sent again with the calls it led to.
 */
export const reasoningItem = (body: AskedResponse, runId: string, text: string) => ({
  id: itemIdOf("rs", runId),
  type: "reasoning",
  summary: [{ type: "summary_text", text }],
  ...(body.include?.includes("reasoning.encrypted_content") && {
    encrypted_content: itemIdOf("rs", runId),
  }),
  status: "completed",
});
export const messageItem = (runId: string, text: string, status: string, extras?: TextExtras) => ({
  id: itemIdOf("msg", runId),
  type: "message",
  role: "assistant",
  status,
  content: status === "in_progress" ? [] : [textOf(text, extras)],
});
/** What is known at the end of a text. */
export type TextExtras = { logprobs: readonly object[]; annotations: readonly object[] };
export const textOf = (
  text: string,
  { logprobs, annotations }: TextExtras = { logprobs: [], annotations: [] },
) => ({ type: "output_text", text, annotations, logprobs });
export const textExtrasOf = (answer: ReturnType<typeof answerOf>): TextExtras => ({
  logprobs: answer.logprobs?.content ?? [],
  annotations: urlCitations(answer).map((one) => ({ type: "url_citation", ...one })),
});
/** A call that the model hasn't finished. */
export function startedCall(
  runId: string,
  name: string,
  place: number,
  offered: ReadonlyMap<string, OfferedTool>,
) {
  const call = { type: "tool-call", callId: "", name, input: {} } as const;
  const item = callItem(runId, call, place, offered);
  const status = "in_progress";
  return item.type === "custom_tool_call"
    ? { ...item, input: "", status }
    : { ...item, arguments: "", status };
}
type CallItem = ReturnType<typeof callItem>;
export const inputOf = (item: CallItem): string =>
  item.type === "custom_tool_call" ? item.input : item.arguments;

/**
 * Converts a call to the form in which the program offered its tool: a function, a function of a
 * group, or a free-text tool.
 */
export function callItem(
  runId: string,
  call: ToolCall,
  place: number,
  offered: ReadonlyMap<string, OfferedTool>,
) {
  const tool = offered.get(call.name) ?? { type: "function" as const, name: call.name };
  const item = {
    id: itemIdOf("fc", runId, place),
    call_id: callIdOf(runId, place),
    name: tool.name,
    ...(tool.namespace !== undefined && { namespace: tool.namespace }),
    status: "completed",
  };
  if (tool.type === "custom")
    return { ...item, type: "custom_tool_call" as const, input: textOfCall(call) };
  return {
    ...item,
    type: "function_call" as const,
    arguments: writtenInput(call),
  };
}

export function responseOf(body: AskedResponse, run: OwnedRun, unmet: IgnoredParameters) {
  const answer = answerOf(run);
  const { text, reasoning, toolCalls, finishReason } = answer;
  const used = usageOf(run);
  const { offered } = readTools(toolsOf(body));
  const isCut = finishReason === "length" || finishReason === "content-filter";
  return {
    ...frameOf(body, run),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut
      ? { reason: finishReason === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: [
      ...(reasoning ? [reasoningItem(body, run.id, reasoning)] : []),
      ...(text || toolCalls.length === 0
        ? [messageItem(run.id, text, "completed", textExtrasOf(answer))]
        : []),
      ...toolCalls.map((call, i) => callItem(run.id, call, i, offered)),
    ],
    output_text: text,
    usage: used.isCounted
      ? {
          input_tokens: used.inputTokens,
          input_tokens_details: { cached_tokens: used.cachedInputTokens },
          output_tokens: used.outputTokens,
          output_tokens_details: { reasoning_tokens: used.reasoningTokens },
          total_tokens: used.total,
        }
      : null,
    bottega: extraFields(run, unmet),
  };
}
