import type {
  EmbeddingModelV4,
  JSONObject,
  SharedV4ProviderOptions,
  SpeechModelV4,
} from "@ai-sdk/provider";
import { sentences } from "#contract/sentences/index.ts";
import type { AnswerPart, InputFile, RunContext, RunRequest, Usage } from "../adapter.ts";
import { ProviderError } from "../adapter.ts";
import { embeddingInputs, toEmbeddingFile } from "../wire/media-input.ts";
import { textOf } from "../wire/values.ts";
import { bytesOf, warn } from "./language.ts";
import type { SdkCall } from "./sdk-call.ts";

/**
 * A call of a media model of the AI SDK, with a whole response. Each throws ProviderError, or the
 * signal's reason. The form's fields have the specification's names: prompt, n, size, aspectRatio,
 * seed, images, mask; text, voice, instructions, speed, language, outputFormat; file; input,
 * dimensions.
 */
type Media<Model> = {
  call: SdkCall;
  model: Model;
  request: RunRequest;
  context: RunContext;
  /** The kind's own settings, under its name. */
  providerOptions?: SharedV4ProviderOptions;
};

/** The most bytes of a recording or picture held in memory to be sent. */
const inputBytes = 64 * 1024 ** 2;

/** `readUsage` reads the provider's usage from the raw response, if the client passes it on. */
export async function* answerSpeech({
  call,
  model,
  request,
  context,
  providerOptions,
  readUsage,
}: Media<SpeechModelV4> & { readUsage?(raw: unknown): Usage }): AsyncGenerator<AnswerPart> {
  const { input } = request;
  const text = textOf(input.text) ?? "";
  const answer = await settle(call, context, () =>
    model.doGenerate({
      text,
      ...pickTexts(input, ["voice", "instructions", "language", "outputFormat"]),
      ...(numberOf(input.speed) !== undefined && { speed: numberOf(input.speed) }),
      ...(providerOptions && { providerOptions: providerOptions as Record<string, JSONObject> }),
      abortSignal: context.signal,
    }),
  );
  for (const warning of answer.warnings) warn(context, warning);
  yield { type: "file", output: { name: "speech", bytes: bytesOf(answer.audio) } };
  yield {
    type: "finish",
    reason: "stop",
    usage: { ...readUsage?.(answer.usage), units: { characters: String([...text].length) } },
  };
}

/** Concurrent requests of one run. */
const requestsAtOnce = 8;

/**
 * Embeds texts, and stores the vectors as a JSON file. If a run has more inputs than the service
 * accepts per request, it is split into several; after a failure no more are started.
 * @param most inputs per request, if the client states more than the service accepts
 */
export async function* answerEmbedding({
  call,
  model,
  request,
  context,
  providerOptions,
  most,
}: Media<EmbeddingModelV4> & { most?: number }): AsyncGenerator<AnswerPart> {
  const dimensions = numberOf(request.input.dimensions);
  // Tokens were refused earlier: no kind that uses this client accepts them.
  const inputs = embeddingInputs(request).map(String);
  const atATime = most ?? (await model.maxEmbeddingsPerCall) ?? inputs.length;
  const answers: Awaited<ReturnType<typeof model.doEmbed>>[] = [];
  let nextPart = 0;
  const failures: unknown[] = [];
  const ask = async (): Promise<void> => {
    while (failures.length === 0 && nextPart * atATime < inputs.length) {
      const part = nextPart++;
      const values = inputs.slice(part * atATime, (part + 1) * atATime);
      try {
        const answer = await settle(call, context, () =>
          model.doEmbed({
            values,
            ...(dimensions !== undefined && { dimensions }),
            ...(providerOptions && { providerOptions }),
            abortSignal: context.signal,
          }),
        );
        if (answer.embeddings.length < values.length)
          throw new ProviderError("provider_protocol", "yes", {
            message: sentences.answers.noEmbedding,
          });
        answers[part] = answer;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, ask));
  // An answered request is paid, or may be, whatever happened to the others.
  if (failures.length > 0) {
    const failure = failures.find((error) => !isRefusal(error)) ?? failures[0];
    throw answers.length > 0 ? asAccepted(failure) : failure;
  }
  for (const warning of answers.flatMap(({ warnings }) => warnings)) warn(context, warning);
  const vectors = answers.flatMap(({ embeddings }) => embeddings);
  yield toEmbeddingFile(request.model.id, request, vectors);
  const inputTokens = answers.reduce((sum, { usage }) => sum + (usage?.tokens ?? Number.NaN), 0);
  yield {
    type: "finish",
    reason: "stop",
    usage: Number.isNaN(inputTokens) ? {} : { inputTokens },
  };
}

const isRefusal = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.accepted === "no";
const asAccepted = (error: unknown): unknown =>
  isRefusal(error) ? new ProviderError(error.code, "yes", error.detail, { cause: error }) : error;

/**
 * Converts the client's errors to ours. A broken body is reported as such, not as unreadable JSON.
 */
async function settle<Answer>(
  call: SdkCall,
  context: Pick<RunContext, "signal">,
  ask: () => PromiseLike<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    throw call.toError(error);
  }
}

/**
 * Converts a file of the library to the specification's form.
 * @throws ProviderError "provider_invalid_input" above 64 MB
 */
export async function readInput(
  file: InputFile,
): Promise<{ type: "file"; mediaType: string; data: Uint8Array }> {
  if (file.bytes > inputBytes) {
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.files.tooLargeForService({ file: file.name }),
    });
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.open()) chunks.push(chunk);
  return { type: "file", mediaType: file.mime, data: Buffer.concat(chunks) };
}

export const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
const pickTexts = <Name extends string>(
  input: RunRequest["input"],
  names: readonly Name[],
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.flatMap((name) =>
      textOf(input[name]) === undefined ? [] : [[name, textOf(input[name])]],
    ),
  ) as Partial<Record<Name, string>>;
