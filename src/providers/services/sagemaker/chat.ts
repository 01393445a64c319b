import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  type FinishReason,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { toPrompt } from "../../wire/chat-prompt.ts";
import { isRecord, toErrorFields } from "../../wire/error-fields.ts";
import { readEvents } from "../../wire/event-stream.ts";
import { toWordedError } from "../../wire/http-errors.ts";
import { answerChat } from "../openai-compatible/chat.ts";
import { endpointUrl, invoke, signInToSageMaker, unwrap } from "./access.ts";

const stream = {
  "content-type": "application/json",
  "x-amzn-sagemaker-accept": "text/event-stream",
};

/**
 * Answers with messages in OpenAI's form, which vLLM, LMI and newer TGI accept. Their stream is
 * wrapped in SageMaker's.
 * @throws ProviderError
 */
export async function* answerMessages(
  request: RunRequest,
  unsigned: RunContext,
): AsyncGenerator<AnswerPart> {
  const { context } = await signInToSageMaker(unsigned);
  const { id } = request.model;
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    // A container serves one model, under a name that only it knows; without a name, it answers.
    const { model: _, ...body } = JSON.parse(String(init?.body ?? "{}")) as Record<string, unknown>;
    const response = await invoke(context, id, "invocations-response-stream", {
      headers: stream,
      body: JSON.stringify(body),
    });
    return unwrap(response, context);
  };
  const connection = {
    ...context.connection,
    addresses: { api: endpointUrl(context, id, "invocations-response-stream") },
    options: { outputLimitField: "max_tokens" },
  };
  yield* answerChat(request, { ...context, connection, fetch });
}

/**
 * Answers through TGI's own API (https://huggingface.github.io/text-generation-inference), which
 * takes one text and returns tokens.
 * @throws ProviderError
 */
export async function* answerTgi(
  request: RunRequest,
  unsigned: RunContext,
): AsyncGenerator<AnswerPart> {
  const prompt = await toPrompt(
    request.turns,
    { ...request.model.capabilities, imageInput: false },
    unsigned,
  );
  const { context } = await signInToSageMaker(unsigned);
  const body = JSON.stringify({
    inputs: toText(prompt),
    parameters: parametersOf(request),
    stream: true,
  });
  const response = await invoke(context, request.model.id, "invocations-response-stream", {
    headers: stream,
    body,
  });
  const { body: events } = unwrap(response, context);
  const facts = { secret: context.connection.secret, host: new URL(response.url).host };
  let finish: Extract<AnswerPart, { type: "finish" }> | undefined;
  for await (const event of events ? readEvents(events) : []) {
    for (const { data } of event) {
      const chunk = parse(data, facts.host);
      if (chunk.error)
        throw toWordedError("provider_interrupted", "yes", toErrorFields(chunk), facts);
      const token = isRecord(chunk.token) ? chunk.token : {};
      if (typeof token.text === "string" && token.text !== "" && token.special !== true)
        yield { type: "text", text: token.text };
      if (isRecord(chunk.details)) finish = toFinish(chunk.details);
      else if (typeof chunk.generated_text === "string")
        finish = { type: "finish", reason: "stop", usage: {} };
    }
  }
  if (!finish) throw new ProviderError("provider_interrupted", "yes");
  yield finish;
}

/**
 * A single question is sent as written, so that a person may use the model's own template. A
 * conversation is serialized.
 */
function toText(prompt: LanguageModelV4Prompt): string {
  const turns = prompt.map(({ role, content }) => ({
    role,
    text:
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : "")).join(""),
  }));
  if (turns.length === 1 && turns[0]!.role === "user") return turns[0]!.text;
  const names = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;
  return `${turns.map(({ role, text }) => `${names[role]}: ${text}`).join("\n\n")}\n\nAssistant:`;
}

function parametersOf({ input }: RunRequest): { [name: string]: unknown } {
  const stop = Array.isArray(input.stop)
    ? input.stop.filter((text) => typeof text === "string" && text !== "")
    : [];
  const temperature = typeof input.temperature === "number" ? input.temperature : undefined;
  return {
    max_new_tokens: input.maxOutputTokens ?? undefined,
    // TGI refuses a temperature of 0; greedy decoding replaces it.
    ...(temperature !== undefined &&
      (temperature > 0 ? { temperature, do_sample: true } : { do_sample: false })),
    ...(typeof input.topP === "number" &&
      input.topP > 0 &&
      input.topP < 1 && { top_p: input.topP }),
    ...(stop.length > 0 && { stop }),
    ...(typeof input.seed === "number" && { seed: input.seed }),
    details: true,
  };
}

const reasons: Readonly<Record<string, FinishReason>> = {
  length: "length",
  eos_token: "stop",
  stop_sequence: "stop",
};

function toFinish(details: Record<string, unknown>): Extract<AnswerPart, { type: "finish" }> {
  const counts = { inputTokens: details.input_length, outputTokens: details.generated_tokens };
  const usage = Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isInteger(count)),
  );
  return { type: "finish", reason: reasons[String(details.finish_reason)] ?? "other", usage };
}

function parse(data: string, host: string): Record<string, unknown> {
  try {
    const chunk: unknown = JSON.parse(data);
    return isRecord(chunk) ? chunk : {};
  } catch (cause) {
    const message = sentences.answers.unreadableLine({ host });
    throw new ProviderError("provider_protocol", "yes", { message }, { cause });
  }
}
