import type { EmbeddingModelV4, LanguageModelV4, SpeechModelV4 } from "@ai-sdk/provider";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import {
  type AnswerPart,
  ProviderError,
  type RunContext,
  type RunRequest,
  type Usage,
} from "../../adapter.ts";
import type { SdkCall } from "../../ai-sdk/sdk-call.ts";
import { taskNotOffered } from "../../wire/answer-by-task.ts";
import { isRecord } from "../../wire/error-fields.ts";
import type { GeminiModel } from "./chat.ts";
import { classify } from "./errors.ts";

/** A client of the AI SDK for one of Google's two APIs, which have the same models. */
type GoogleClient = {
  /** The name under which it reads its options. */
  name: GeminiModel["name"];
  languageModel(id: string): LanguageModelV4;
  speechModel?(id: string): SpeechModelV4;
  embeddingModel(id: string): EmbeddingModelV4;
  /** The most inputs of an embedding request, if the client's model doesn't know it. */
  embedsAtOnce?(id: string): number | undefined;
};
export type OpenClient = (
  fetch: typeof globalThis.fetch,
  context: RunContext,
) => Promise<GoogleClient>;

/**
 * Answers synchronous requests by task. Clients load with the first answer.
 * @throws ProviderError, or the signal's reason
 */
export async function* answerGoogle(
  open: OpenClient,
  request: RunRequest,
  context: RunContext,
): AsyncGenerator<AnswerPart> {
  const answer = answers[request.task];
  if (!answer) throw taskNotOffered(request.task);
  const { createSdkCall } = await import("../../ai-sdk/sdk-call.ts");
  const call = createSdkCall(context, classify);
  yield* answer({ call, client: await open(call.fetch, context), request, context });
}

type GoogleCall = { call: SdkCall; client: GoogleClient; request: RunRequest; context: RunContext };

const modelOf = ({ client, request }: GoogleCall): GeminiModel => ({
  model: client.languageModel(request.model.id),
  name: client.name,
});

const answers: Partial<Record<Task, (given: GoogleCall) => AsyncGenerator<AnswerPart>>> = {
  async *chat(given) {
    const { answerGemini } = await import("./chat.ts");
    yield* answerGemini(given.call, modelOf(given), given.request, given.context);
  },
  async *image(given) {
    const { answerDrawn, answerImagen } = await import("./pictures.ts");
    // Only Imagen makes several pictures per call; every other model draws within its answer.
    if (given.request.model.capabilities.countField)
      yield* answerImagen(given.request, given.context);
    else yield* answerDrawn(given.call, modelOf(given), given.request, given.context);
  },
  async *speech({ client, ...given }) {
    const { answerSpeech } = await import("../../ai-sdk/media.ts");
    const model = client.speechModel?.(given.request.model.id);
    if (!model)
      throw new ProviderError("provider_invalid_input", "no", {
        message: sentences.connections.noSpeech,
      });
    let isSilent = false;
    for await (const part of answerSpeech({ ...given, model, readUsage })) {
      isSilent ||=
        part.type === "file" && "bytes" in part.output && part.output.bytes.byteLength === 0;
      if (!isSilent) yield part;
      else if (part.type === "finish") throw silence(part.usage);
    }
  },
  async *embedding({ client, ...given }) {
    const { answerEmbedding } = await import("../../ai-sdk/media.ts");
    const { id } = given.request.model;
    const most = client.embedsAtOnce?.(id);
    yield* answerEmbedding({
      ...given,
      model: client.embeddingModel(id),
      ...(most !== undefined && { most }),
    });
  },
};

/**
 * The client returns empty bytes both for a filtered answer, whose tokens Google counts, and for a
 * response that isn't Google's.
 */
const silence = ({ inputTokens }: Usage): ProviderError =>
  inputTokens === undefined
    ? new ProviderError("provider_protocol", "yes", { message: sentences.answers.googleNoSound })
    : new ProviderError("provider_rejected", "yes", {
        message: sentences.answers.googleSoundFiltered,
      });

/** Reads the usage from a raw response. */
function readUsage(raw: unknown): Usage {
  if (!isRecord(raw)) return {};
  const { promptTokenCount: input, candidatesTokenCount: output } = raw;
  return {
    ...(typeof input === "number" && { inputTokens: input }),
    ...(typeof output === "number" && { outputTokens: output }),
  };
}
