import type { ResponseBody } from "#contract/schemas/openai.ts";
import type { ToolCall } from "#engine/plan/turns.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { answerOf } from "./chat.ts";
import { aside, usageOf } from "./follow.ts";

const responseIdOf = (runId: string): string => `resp_${runId}`;
/** What a response needs of its run. */
export type Started = Pick<OwnedRun, "id" | "createdAt">;
/** The parameters of a request other than its input. */
export type AskedResponse = Omit<ResponseBody, "input">;

/** The fields that the official clients expect of every response, in any state. */
export const frameOf = (body: AskedResponse, run: Started) => ({
  id: responseIdOf(run.id),
  object: "response" as const,
  created_at: Math.floor(run.createdAt / 1000),
  status: "in_progress" as string,
  error: null,
  incomplete_details: null as { reason: string } | null,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  model: body.model,
  output: [] as object[],
  parallel_tool_calls: true,
  previous_response_id: body.previous_response_id || null,
  reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
  store: body.store ?? true,
  temperature: body.temperature ?? null,
  text: { format: body.text?.format ?? { type: "text" } },
  tool_choice: body.tool_choice ?? "auto",
  tools: body.tools ?? [],
  top_p: body.top_p ?? null,
  truncation: "disabled",
  usage: null as object | null,
  metadata: body.metadata ?? {},
});

export const reasoningItem = (runId: string, text: string) => ({
  id: `rs_${runId}`,
  type: "reasoning",
  summary: [{ type: "summary_text", text }],
  status: "completed",
});
export const messageItem = (runId: string, text: string, status: string) => ({
  id: `msg_${runId}`,
  type: "message",
  role: "assistant",
  status,
  content: status === "in_progress" ? [] : [textOf(text)],
});
export const textOf = (text: string) => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});
export const callItem = (
  runId: string,
  { callId, name, input, malformed }: ToolCall,
  index: number,
) => ({
  id: `fc_${runId}_${index}`,
  type: "function_call",
  call_id: callId,
  name,
  arguments: malformed ?? JSON.stringify(input),
  status: "completed",
});

export function responseOf(body: AskedResponse, run: OwnedRun, unused: readonly string[]) {
  const { text, reasoning, toolCalls, finishReason } = answerOf(run);
  const used = usageOf(run);
  const isCut = finishReason === "length" || finishReason === "content-filter";
  return {
    ...frameOf(body, run),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut
      ? { reason: finishReason === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: [
      ...(reasoning ? [reasoningItem(run.id, reasoning)] : []),
      ...(text || toolCalls.length === 0 ? [messageItem(run.id, text, "completed")] : []),
      ...toolCalls.map((call, i) => callItem(run.id, call, i)),
    ],
    output_text: text,
    usage: {
      input_tokens: used.inputTokens,
      input_tokens_details: { cached_tokens: used.cachedInputTokens },
      output_tokens: used.outputTokens,
      output_tokens_details: { reasoning_tokens: used.reasoningTokens },
      total_tokens: used.total,
    },
    bottega: aside(run, unused),
  };
}
