import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { toPrompt } from "../../wire/chat-prompt.ts";
import { answerer, baseUrl } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readEvents } from "../../wire/event-stream.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { postJson } from "./access.ts";
import { type ChatMessage, toMessages } from "./chat-messages.ts";
import { createChatReader, readCost } from "./chat-reader.ts";
import { unexpectedBody } from "./errors.ts";
import type { Quirks } from "./quirks.ts";

/**
 * Streams one chat answer, with one POST to /chat/completions. Ends with `finish`, or throws
 * ProviderError after everything received before the failure, or the signal's reason.
 *
 * Parsed here and not by the AI SDK's client: measured on one core with 200 concurrent streams, a
 * stream of 64 chunks costs 1.6 ms of CPU there and 0.4 ms here, and its queues drop the last
 * chunks when a connection breaks.
 */
export async function* answerChat(
  request: RunRequest,
  context: RunContext,
  quirks: Quirks = {},
): AsyncGenerator<AnswerPart> {
  const facts = answerer(context);
  const prompt = await toPrompt(request.turns, request.model.capabilities, context);
  const response = await postJson(context, "/chat/completions", {
    model: request.model.id,
    messages: [...describeShape(request, quirks), ...toMessages(prompt, quirks)],
    ...settings(request, context, quirks),
    ...toolFields(request, context, quirks),
    ...request.passed,
    ...quirks.chatFields?.(request, context),
    stream: true,
    ...(!quirks.countsUnasked && { stream_options: { include_usage: true } }),
  });
  const reader = createChatReader({ ...facts, costMicros: costOfHeader(response, quirks) });
  const end = (): AnswerPart[] => {
    reader.warnOfLogprobs(context);
    return reader.end();
  };
  if (/^application\/json\b/i.test(response.headers.get("content-type") ?? "") || !response.body) {
    // A server that ignores `stream` sends the whole answer.
    const body = response.body ? await readJson(response, readOptions(context, "POST")) : null;
    if (!isRecord(body) || body.error || !Array.isArray(body.choices))
      throw unexpectedBody(body, facts);
    yield* reader.read(body);
    yield* end();
    return;
  }
  let seen = false;
  try {
    for await (const events of readEvents(response.body, { last: "[DONE]" })) {
      for (const { data } of events) {
        seen = true;
        const chunk =
          data === "[DONE]" ? undefined : parseChunk(data, facts.host, reader.isFinished());
        if (chunk !== undefined) yield* reader.read(chunk);
      }
    }
  } catch (error) {
    // A connection lost after the finish loses at most the usage.
    if (!reader.isFinished() || context.signal.aborted) throw error;
  }
  if (!seen) throw unexpectedBody(null, facts);
  yield* end();
}

/** An unreadable chunk ends the answer, unless the answer has already reported its end. */
function parseChunk(data: string, host: string, finished: boolean): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    if (finished) return undefined;
    const message = sentences.answers.unreadableLine({ host });
    throw new ProviderError("provider_protocol", "yes", { message }, { cause });
  }
}

/** Returns tools and the answer's form by the API's names. Unset ones aren't sent. */
function toolFields(
  { tools, toolChoice, answerShape }: RunRequest,
  context: RunContext,
  quirks: Quirks,
): { [field: string]: unknown } {
  if (answerShape && quirks.shapesLoosely && !answerShape.isAnyObject)
    context.warn({
      type: "changed",
      feature: "answerShape",
      message: sentences.settings.schemaNotForced,
    });
  return {
    ...(tools?.length && {
      tools: tools.map(({ name, description, inputSchema, strict }) => ({
        type: "function",
        function: {
          name,
          description,
          parameters: inputSchema,
          ...(strict !== undefined && { strict }),
        },
      })),
      tool_choice:
        typeof toolChoice === "object"
          ? { type: "function", function: { name: toolChoice.name } }
          : toolChoice,
    }),
    ...(answerShape && {
      response_format:
        quirks.shapesLoosely || (answerShape.isAnyObject && !quirks.shapesBySchema)
          ? { type: "json_object" }
          : {
              type: "json_schema",
              json_schema: {
                name: answerShape.name,
                schema: answerShape.schema,
                ...(answerShape.strict !== undefined && { strict: answerShape.strict }),
              },
            },
    }),
  };
}

/**
 * Returns the person's settings by the API's names, without those that the model is known to lack.
 */
function settings(
  { input, model }: RunRequest,
  context: RunContext,
  quirks: Quirks,
): { [field: string]: unknown } {
  const leaveOut = (feature: string, title: string) => {
    context.warn({
      type: "unsupported",
      feature,
      message: sentences.settings.notTaken({ setting: title }),
    });
    return undefined;
  };
  const { capabilities } = model;
  const stop = Array.isArray(input.stop)
    ? input.stop.filter((text) => typeof text === "string" && text !== "")
    : [];
  const effort =
    typeof input.reasoningEffort === "string" && input.reasoningEffort !== ""
      ? input.reasoningEffort
      : undefined;
  const seed = typeof input.seed === "number" ? input.seed : undefined;
  return {
    [quirks.outputLimitField ?? outputLimitField(context)]: input.maxOutputTokens ?? undefined,
    temperature: input.temperature ?? undefined,
    top_p: input.topP ?? undefined,
    stop: stop.length > 0 ? stop : undefined,
    ...(effort &&
      (capabilities.reasoning === false
        ? leaveOut("reasoningEffort", "Reasoning effort")
        : reasoningOf(effort, quirks))),
    [quirks.seedField ?? "seed"]:
      seed !== undefined && capabilities.seed === false ? leaveOut("seed", "Seed") : seed,
  };
}

/**
 * For a service without schemas, the schema goes into the prompt. DeepSeek requires the word "json"
 * there.
 */
const describeShape = ({ answerShape }: RunRequest, { shapesLoosely }: Quirks): ChatMessage[] =>
  answerShape && shapesLoosely && !answerShape.isAnyObject
    ? [
        {
          role: "system",
          content: `Answer with nothing but JSON of this JSON Schema:\n${JSON.stringify(answerShape.schema)}`,
        },
      ]
    : [];

const reasoningOf = (effort: string, quirks: Quirks) =>
  quirks.reasoning?.(effort) ?? { reasoning_effort: effort };

/** Reads the cost from the response's header, where 0 means "not known yet". */
function costOfHeader({ headers }: Response, { costHeader }: Quirks): number | undefined {
  const dollars = costHeader ? Number(headers.get(costHeader)) : 0;
  return dollars > 0 ? readCost({ cost: dollars }) : undefined;
}

/**
 * OpenAI itself has replaced `max_tokens` with `max_completion_tokens`, and its reasoning models
 * refuse the old name; most other servers know only the old one. The connection's setting decides,
 * or else the address.
 */
function outputLimitField(context: RunContext): string {
  const chosen = context.connection.options.outputLimitField;
  if (chosen === "max_tokens" || chosen === "max_completion_tokens") return chosen;
  return new URL(baseUrl(context)).host === "api.openai.com"
    ? "max_completion_tokens"
    : "max_tokens";
}
