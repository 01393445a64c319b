import type {
  EmbeddingModelV4,
  ImageModelV4,
  JSONObject,
  SharedV4ProviderOptions,
  SpeechModelV4,
  TranscriptionModelV4,
} from "@ai-sdk/provider";
import type { AnswerPart, InputFile, RunContext, RunRequest, Usage } from "../adapter.ts";
import { ProviderError } from "../adapter.ts";
import { fileOf } from "../wire/media-input.ts";
import { bytesOf, warn } from "./language.ts";
import type { SdkCall } from "./sdk-call.ts";

/**
 * One call of a media model of the AI SDK, its answer whole. Each throws ProviderError, or the signal's reason. The
 * fields of the form are named as the specification names its own: prompt, n, size, aspectRatio, seed, images, mask;
 * text, voice, instructions, speed, language, outputFormat; file; input, dimensions.
 */
type Media<Model> = {
  call: SdkCall;
  model: Model;
  request: RunRequest;
  context: RunContext;
  /** Settings of the kind's own, under its name. */
  providerOptions?: SharedV4ProviderOptions;
};

/** The most of a recording or picture that is held in memory to be sent. */
const inputBytes = 64 * 1024 ** 2;

/** `image/png` as an answer says of its files where the client does not: decided by their first bytes when they are stored. */
export async function* answerImage({
  call,
  model,
  request,
  context,
  providerOptions = {},
}: Media<ImageModelV4>): AsyncGenerator<AnswerPart> {
  const { input } = request;
  const references = Array.isArray(input.images) ? input.images : [];
  const files = await Promise.all(
    references.map((reference) => readInput(fileOf(request, reference, "images"))),
  );
  const mask = input.mask ? await readInput(fileOf(request, input.mask, "mask")) : undefined;
  const answer = await settle(call, context, () =>
    model.doGenerate({
      prompt: textOf(input.prompt) ?? "",
      n: numberOf(input.n) ?? 1,
      size: textOf(input.size) as `${number}x${number}` | undefined,
      aspectRatio: textOf(input.aspectRatio) as `${number}:${number}` | undefined,
      seed: numberOf(input.seed),
      files: files.length > 0 ? files : undefined,
      mask,
      providerOptions,
      abortSignal: context.signal,
    }),
  );
  for (const warning of answer.warnings) warn(context, warning);
  for (const [index, image] of answer.images.entries()) {
    yield {
      type: "file",
      output: {
        name: answer.images.length === 1 ? "picture" : `picture-${index + 1}`,
        bytes: bytesOf(image),
      },
    };
  }
  const tokens = {
    inputTokens: answer.usage?.inputTokens,
    outputTokens: answer.usage?.outputTokens,
  };
  const counted = Object.fromEntries(
    Object.entries(tokens).filter(([, count]) => Number.isInteger(count)),
  );
  yield {
    type: "finish",
    reason: "stop",
    usage: { ...counted, units: { images: String(answer.images.length) } },
  };
}

/** `readUsage` reads what the provider counted, where its client passes that on as it came. */
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

/** The words, and beside them a file with the times of each where the provider tells them. */
export async function* answerTranscription({
  call,
  model,
  request,
  context,
  providerOptions,
}: Media<TranscriptionModelV4>): AsyncGenerator<AnswerPart> {
  const { data, mediaType } = await readInput(fileOf(request, request.input.file, "file"));
  const answer = await settle(call, context, () =>
    model.doGenerate({
      audio: data,
      mediaType,
      ...(providerOptions && { providerOptions: providerOptions as Record<string, JSONObject> }),
      abortSignal: context.signal,
    }),
  );
  for (const warning of answer.warnings) warn(context, warning);
  yield { type: "text", text: answer.text };
  if (answer.segments.length > 0) {
    const told = {
      language: answer.language,
      durationInSeconds: answer.durationInSeconds,
      segments: answer.segments,
    };
    const bytes = Buffer.from(JSON.stringify(told, null, 2));
    yield { type: "file", output: { name: "transcript.json", mime: "application/json", bytes } };
  }
  const seconds = answer.durationInSeconds;
  yield {
    type: "finish",
    reason: "stop",
    usage: seconds === undefined ? {} : { units: { seconds: String(seconds) } },
  };
}

/** A text as a vector, kept as a JSON file {model, dimensions, embedding}. */
export async function* answerEmbedding({
  call,
  model,
  request,
  context,
  providerOptions,
}: Media<EmbeddingModelV4>): AsyncGenerator<AnswerPart> {
  const dimensions = numberOf(request.input.dimensions);
  const answer = await settle(call, context, () =>
    model.doEmbed({
      values: [textOf(request.input.input) ?? ""],
      ...(dimensions !== undefined && { dimensions }),
      ...(providerOptions && { providerOptions }),
      abortSignal: context.signal,
    }),
  );
  for (const warning of answer.warnings) warn(context, warning);
  const [embedding] = answer.embeddings;
  if (!embedding)
    throw new ProviderError("provider_protocol", "yes", {
      message: "The answer holds no embedding.",
    });
  const kept = { model: request.model.id, dimensions: embedding.length, embedding };
  yield {
    type: "file",
    output: {
      name: "embedding.json",
      mime: "application/json",
      bytes: Buffer.from(JSON.stringify(kept)),
    },
  };
  yield {
    type: "finish",
    reason: "stop",
    usage: answer.usage ? { inputTokens: answer.usage.tokens } : {},
  };
}

/** What the client throws is made ours; a body that broke is told as that and not as JSON that can't be read. */
export async function settle<Answer>(
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

/** A file of the library as the specification takes it. Throws ProviderError "provider_invalid_input" past 64 MB. */
export async function readInput(
  file: InputFile,
): Promise<{ type: "file"; mediaType: string; data: Uint8Array }> {
  if (file.bytes > inputBytes) {
    throw new ProviderError("provider_invalid_input", "no", {
      message: `${file.name} is larger than 64 MB, which this service does not take.`,
    });
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.open()) chunks.push(chunk);
  return { type: "file", mediaType: file.mime, data: Buffer.concat(chunks) };
}

export const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
export const textOf = (value: unknown) =>
  typeof value === "string" && value !== "" ? value : undefined;

const pickTexts = <Name extends string>(
  input: RunRequest["input"],
  names: readonly Name[],
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.flatMap((name) =>
      textOf(input[name]) === undefined ? [] : [[name, textOf(input[name])]],
    ),
  ) as Partial<Record<Name, string>>;
