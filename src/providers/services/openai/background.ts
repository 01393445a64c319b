import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  type AskedRun,
  type CallContext,
  type FinishReason,
  type JobHandle,
  type JobResult,
  type JobStatus,
  ProviderError,
  type RunContext,
  type RunRequest,
  type Usage,
} from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord, toErrorFields } from "../../wire/error-fields.ts";
import { toWordedError } from "../../wire/http-errors.ts";
import { isGone } from "../../wire/job-errors.ts";
import { toToolCall } from "../../wire/tool-call.ts";
import { recordsOf } from "../../wire/values.ts";
import { classify } from "../openai-compatible/errors.ts";
import { createCitationPlaces } from "./citation-places.ts";
import { askAbout, type OneJob, stateOf, toHandle } from "./one-job.ts";
import { openResponses } from "./responses.ts";

/** Background answers, which are polled (https://platform.openai.com/docs/guides/background). */
export const backgroundJob: OneJob = { submit, status, result, cancel };

/**
 * Whether to run in the background: the person's setting, or else the default of the model's form.
 */
export function wantsBackground({
  input,
  inputSchema,
}: Pick<AskedRun, "input" | "inputSchema">): boolean {
  if (typeof input.background === "boolean") return input.background;
  const fields = inputSchema?.properties;
  const field = isRecord(fields) ? fields.background : undefined;
  return isRecord(field) && field.default === true;
}

/**
 * The client writes the request, because it converts the conversation; the response names the job.
 */
async function submit(request: RunRequest, context: RunContext): Promise<JobHandle> {
  const [{ createSdkCall }, { generateLanguage }] = await Promise.all([
    import("../../ai-sdk/sdk-call.ts"),
    import("../../ai-sdk/language.ts"),
  ]);
  let answer: { body: unknown; status: number } | null = null;
  const call = createSdkCall(context, classify);
  const inBackground: typeof globalThis.fetch = async (url, init) => {
    const wanted = { ...(JSON.parse(String(init?.body)) as object), background: true, store: true };
    const response = await call.fetch(url, { ...init, body: JSON.stringify(wanted) });
    const text = await response.text();
    call.throwIfBroken();
    answer = { body: parse(text), status: response.status };
    return new Response(text, { status: response.status, headers: response.headers });
  };
  const { model, extras } = await openResponses(
    { ...call, fetch: inBackground },
    request,
    context,
    true,
  );
  await generateLanguage(call, model, request, context, extras).catch((error: unknown) => {
    // The client doesn't recognize a response without text.
    if (answer === null) throw error;
  });
  if (answer === null) throw new ProviderError("outcome_unknown", "unknown");
  const { body, status: httpStatus } = answer as { body: unknown; status: number };
  return toHandle("responses", body, httpStatus);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function status(handle: JobHandle, context: CallContext): Promise<JobStatus> {
  return { state: stateOf(await askAbout(context, handle)) };
}

/** @throws ProviderError for a failed or canceled answer; its reasoning so far may be billed */
async function result(handle: JobHandle, context: CallContext): Promise<JobResult> {
  const response = await askAbout(context, handle, "?include[]=reasoning.encrypted_content");
  if (stateOf(response) !== "done")
    throw new ProviderError("provider_protocol", "yes", { message: sentences.runs.answerNotReady });
  if (response.status !== "completed" && response.status !== "incomplete")
    throw toFailure(response, context);
  return readResponse(response);
}

function toFailure(response: Record<string, unknown>, context: CallContext): ProviderError {
  const words =
    response.status === "cancelled"
      ? { message: sentences.runs.answerCanceled }
      : toErrorFields(response.error);
  const error = toWordedError(
    classify(words, Number.NaN) ?? "provider_interrupted",
    "yes",
    words,
    answerer(context),
  );
  return new ProviderError(error.code, "yes", { ...error.detail, final: true, billed: true });
}

async function cancel(handle: JobHandle, context: CallContext): Promise<boolean> {
  try {
    return (await askAbout(context, handle, "/cancel", "POST")).status === "cancelled";
  } catch (error) {
    // 400: it has already ended.
    if (isGone(error) || (error instanceof ProviderError && error.detail.httpStatus === 400))
      return false;
    throw error;
  }
}

/** Converts a complete response to parts. */
function readResponse(response: Record<string, unknown>): JobResult {
  const items = recordsOf(response.output);
  const answerParts = items.flatMap(readItem);
  const calls = answerParts.filter((part) => part.type === "tool-call");
  const toolCalls = calls.map(({ type: _, ...call }): JsonObject => call);
  const finishReason = reasonOf(response, items, calls.length > 0);
  const searches = items.filter(isSearch).length;
  const usage: Usage = {
    ...readUsage(response.usage),
    ...(searches > 0 && { units: { "web searches": String(searches) } }),
  };
  return {
    files: [],
    answerParts,
    result: { finishReason, ...(calls.length > 0 && { toolCalls }), ...placesOf(items) },
    usage,
  };
}

/**
 * A search is billed; opening a page, or searching within it, isn't
 * (https://platform.openai.com/docs/pricing, "Built-in tools").
 */
const isSearch = ({ type, action }: Record<string, unknown>): boolean =>
  type === "web_search_call" &&
  (!isRecord(action) || action.type === undefined || action.type === "search");

function placesOf(items: Record<string, unknown>[]): JsonObject {
  const places = createCitationPlaces();
  for (const { type, content } of items)
    for (const part of type === "message" ? recordsOf(content) : [])
      places.readText(textOf(part), recordsOf(part.annotations));
  return places.result();
}

const textOf = ({ type, text, refusal }: Record<string, unknown>): string => {
  const words = type === "refusal" ? refusal : text;
  return typeof words === "string" ? words : "";
};

function readItem(item: Record<string, unknown>): AnswerPart[] {
  if (item.type === "function_call")
    return [
      toToolCall(String(item.call_id ?? ""), String(item.name ?? ""), String(item.arguments ?? "")),
    ];
  if (item.type === "reasoning") {
    const thought = recordsOf(item.summary).flatMap(({ text }): AnswerPart[] =>
      typeof text === "string" && text ? [{ type: "reasoning", text }] : [],
    );
    const { id, encrypted_content: encrypted } = item;
    if (typeof id !== "string" || typeof encrypted !== "string" || !encrypted) return thought;
    // Uses the form of the client that sends the reasoning back.
    return [
      ...thought,
      {
        type: "reasoning",
        text: "",
        providerMetadata: { openai: { itemId: id, reasoningEncryptedContent: encrypted } },
      },
    ];
  }
  if (item.type !== "message") return [];
  return recordsOf(item.content).flatMap((part): AnswerPart[] => {
    const text = textOf(part);
    const parts: AnswerPart[] = text ? [{ type: "text", text }] : [];
    const cited = recordsOf(part.annotations).flatMap(({ type, url, title }): AnswerPart[] =>
      type === "url_citation" && typeof url === "string"
        ? [{ type: "source", title: typeof title === "string" && title ? title : url, url }]
        : [],
    );
    return [...parts, ...cited];
  });
}

function reasonOf(
  response: Record<string, unknown>,
  items: Record<string, unknown>[],
  called: boolean,
): FinishReason {
  const why = isRecord(response.incomplete_details)
    ? response.incomplete_details.reason
    : undefined;
  if (why === "max_output_tokens") return "length";
  if (why === "content_filter") return "content-filter";
  if (called) return "tool-calls";
  const refused = items.some(
    ({ content }) =>
      Array.isArray(content) && content.some((part) => isRecord(part) && part.type === "refusal"),
  );
  return refused ? "content-filter" : "stop";
}

function readUsage(usage: unknown): Usage {
  if (!isRecord(usage)) return {};
  const input = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const counts = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: output.reasoning_tokens || undefined,
    cachedInputTokens: input.cached_tokens || undefined,
  };
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isInteger(count) && (count as number) >= 0),
  );
}
