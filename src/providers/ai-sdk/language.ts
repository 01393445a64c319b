import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { turnsDirection } from "#contract/entities.ts";
import type { ErrorCode } from "#contract/errors.ts";
import type { CountedUse } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  ProviderError,
  type RunContext,
  type RunRequest,
  type Usage,
} from "../adapter.ts";
import { type OpenRecord, toPrompt } from "../wire/chat-prompt.ts";
import { createCallOrder } from "./call-order.ts";
import type { SdkCall } from "./sdk-call.ts";

/**
 * Reads a call, a result or a source file of a tool that the provider runs. Undefined: it
 * contributes nothing. `used` counts once, unless `times` is set.
 */
export type ReadTool = (
  part: Extract<LanguageModelV4StreamPart, { type: "tool-call" | "tool-result" | "source" }>,
) => { parts?: AnswerPart[]; used?: CountedUse; times?: number } | undefined;

/** A kind's additions to a call. */
export type LanguageExtras = {
  providerOptions?: LanguageModelV4CallOptions["providerOptions"];
  /** Tools that the provider runs itself (its web search). */
  providerTools?: LanguageModelV4ProviderTool[];
  /** Reads the parts of tools that the provider runs, and counts their uses. */
  readTool?: ReadTool;
  /**
   * Converts the record of tools that the provider ran for an earlier answer to its client's form.
   * Without this, records aren't sent back.
   */
  openRecord?: OpenRecord;
  /** Receives each raw event, for facts that the client drops. */
  onRaw?(event: unknown): void;
  /** Adapts the prompt to this provider: cache marks, file names. */
  editPrompt?(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt;
  /** Text files are sent as separate documents, which the provider cites. */
  documents?: boolean;
  /** Finish reasons, by the provider's own name, that really are failures: the answer broke off. */
  failures?: Readonly<Record<string, ErrorCode>>;
  /** The provider has a mode for answers that are any JSON object. */
  takesAnyObject?: boolean;
  /** The provider enforces the schemas of tools unless told otherwise, which its client does. */
  enforcesTools?: boolean;
  /**
   * The provider accepts instructions after the first turn. Otherwise they become text in the
   * messages.
   */
  takesLateInstructions?: boolean;
  /** Converts a call's id to a form that the provider accepts. */
  callId?(id: string): string;
  /** Reads the provider's own cost from its metadata. */
  costMicros?(metadata: unknown): number | undefined;
  /** Reads further facts about the answer's end, to store with the run's result. */
  resultOf?(metadata: unknown): JsonObject | undefined;
  /**
   * Reads the citations of a block of text, in the provider's own form. The run's result keeps them
   * as `textBlocks`.
   */
  citationsOf?(metadata: unknown): JsonObject[];
};

/**
 * Requests one chat answer through a model of the AI SDK, with one POST. Ends with `finish`, or
 * throws ProviderError after everything received before the failure, or the signal's reason. The
 * specification's stream is read directly (`doStream`), without the SDK's retries and steps.
 */
export async function* answerLanguage(
  call: SdkCall,
  model: LanguageModelV4,
  request: RunRequest,
  context: RunContext,
  extras: LanguageExtras = {},
): AsyncGenerator<AnswerPart> {
  const turns = await toPrompt(request.turns, request.model.capabilities, context, {
    documents: extras.documents === true,
    foldsLateInstructions: !extras.takesLateInstructions,
    ...(extras.openRecord && { openRecord: extras.openRecord }),
  });
  const named = extras.callId ? withCallIds(turns, extras.callId) : turns;
  const prompt = extras.editPrompt?.(named) ?? named;
  const options = { ...toCallOptions(request, extras), prompt, abortSignal: context.signal };
  const { stream } = await Promise.resolve(model.doStream(options)).catch((error: unknown) => {
    throw call.toError(error);
  });
  const offered = new Set(request.tools?.map(({ name }) => name));
  const reader = createPartReader(context, extras, offered);
  const kept = createFileLimit(context);
  let failure: { error: unknown } | null = null;
  try {
    for await (const part of stream) {
      if (part.type === "error") failure ??= { error: part.error };
      else yield* kept.of(reader.read(part));
    }
  } catch (error) {
    failure ??= { error };
  }
  kept.tell();
  if (context.signal.aborted) throw context.signal.reason;
  const finish = reader.finish();
  // A connection lost after the finish loses nothing.
  if (finish) {
    yield* reader.brokenOffCalls();
    yield finish;
  } else {
    call.throwIfBroken();
    throw failure ? call.toError(failure.error) : new ProviderError("provider_interrupted", "yes");
  }
}

/** Keeps the first files of an answer. A warning on its run names the others. */
function createFileLimit(context: Pick<RunContext, "warn">) {
  const { filesPerAnswer: most, leftFilesNamed } = limits;
  const leftNames: string[] = [];
  let files = 0;
  let left = 0;
  return {
    of: (parts: readonly AnswerPart[]): AnswerPart[] =>
      parts.filter((part) => {
        if (part.type !== "file" || ++files <= most) return true;
        if (++left <= leftFilesNamed) leftNames.push(part.output.name.replace(turnsDirection, ""));
        return false;
      }),
    tell(): void {
      if (left === 0) return;
      const names = [...leftNames, ...(left > leftNames.length ? ["…"] : [])].join(", ");
      const message = sentences.answers.filesLeft({ most, left, names });
      context.warn({ type: "note", feature: "files", message });
    },
  };
}

/** Converts ids of calls to Claude's form: those of other services may contain dots and colons. */
export const claudeCallId = (id: string): string => id.replace(/[^\w-]/g, "_");

/** Replaces the id of each call and its result in the prompt. */
const withCallIds = (
  prompt: LanguageModelV4Prompt,
  idOf: (id: string) => string,
): LanguageModelV4Prompt =>
  prompt.map((message) =>
    message.role === "assistant" || message.role === "tool"
      ? ({
          ...message,
          content: message.content.map((part) =>
            "toolCallId" in part ? { ...part, toolCallId: idOf(part.toolCallId) } : part,
          ),
        } as typeof message)
      : message,
  );

/** Like `answerLanguage`, without streaming, for a provider that responds with a job. */
export async function generateLanguage(
  call: SdkCall,
  model: LanguageModelV4,
  request: RunRequest,
  context: RunContext,
  extras: LanguageExtras = {},
): Promise<void> {
  const prompt = await toPrompt(request.turns, request.model.capabilities, context);
  const options = { ...toCallOptions(request, extras), prompt, abortSignal: context.signal };
  const { warnings } = await Promise.resolve(model.doGenerate(options)).catch((error: unknown) => {
    throw call.toError(error);
  });
  for (const warning of warnings) warn(context, warning);
}

function toCallOptions(
  request: RunRequest,
  extras: LanguageExtras,
): Omit<LanguageModelV4CallOptions, "prompt"> {
  const { input, tools, toolChoice, answerShape, passed } = request;
  const stop = Array.isArray(input.stop)
    ? input.stop.filter((text): text is string => typeof text === "string" && text !== "")
    : [];
  const offered = [
    ...(tools ?? []).map(({ inputSchema, isStrictUnsaid, ...tool }) => ({
      type: "function" as const,
      ...tool,
      ...(isStrictUnsaid && extras.enforcesTools && { strict: unsaid }),
      inputSchema: inputSchema as JSONSchema7,
    })),
    ...(extras.providerTools ?? []),
  ];
  return {
    maxOutputTokens: numberOf(input.maxOutputTokens),
    temperature: numberOf(input.temperature),
    topP: numberOf(input.topP),
    topK: numberOf(input.topK ?? passed?.top_k),
    frequencyPenalty: numberOf(passed?.frequency_penalty),
    presencePenalty: numberOf(passed?.presence_penalty),
    seed: numberOf(input.seed),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(isEffort(input.reasoningEffort) && { reasoning: input.reasoningEffort }),
    ...(offered.length > 0 && { tools: offered }),
    ...(toolChoice && {
      toolChoice:
        typeof toolChoice === "object"
          ? { type: "tool", toolName: toolChoice.name }
          : { type: toolChoice },
    }),
    ...(answerShape && {
      responseFormat: {
        type: "json",
        name: answerShape.name,
        ...(!(answerShape.isAnyObject && extras.takesAnyObject) && {
          schema: answerShape.schema as JSONSchema7,
        }),
      },
    }),
    ...(extras.providerOptions && { providerOptions: extras.providerOptions }),
    ...(extras.onRaw && { includeRawChunks: true }),
  };
}

/** The client fills in a missing value, but JSON leaves out this one. */
const unsaid = { toJSON: () => undefined } as unknown as boolean;

const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const isEffort = (value: unknown): value is (typeof efforts)[number] =>
  efforts.some((effort) => effort === value);

/** Converts the specification's parts to ours. */
function createPartReader(
  context: RunContext,
  extras: LanguageExtras,
  offered: ReadonlySet<string>,
) {
  const cited = new Set<string>();
  /** Blocks that are complete: an answer that a gateway sends twice is read once. */
  const whole = new Set<string>();
  let files = 0;
  /** The blocks of text that have ended, in order: how long each is, and its citations. */
  const textBlocks: { length: number; citations: JsonObject[] }[] = [];
  let blockLength = 0;
  const calls = createCallOrder();
  const used = new Map<CountedUse, number>();
  let finish: Extract<AnswerPart, { type: "finish" }> | null = null;

  const toSource = (source: LanguageModelV4Source): AnswerPart[] => {
    const key =
      source.sourceType === "url" ? source.url : `${source.filename ?? ""}:${source.title}`;
    if (cited.has(key)) return [];
    cited.add(key);
    if (source.sourceType === "url")
      return [{ type: "source", title: source.title || source.url, url: source.url }];
    return [{ type: "source", title: source.title, document: source.filename ?? source.title }];
  };

  function readTool(part: Parameters<ReadTool>[0]): AnswerPart[] | undefined {
    const read = extras.readTool?.(part);
    for (let times = read?.used ? (read.times ?? 1) : 0; read?.used && times > 0; times--) {
      used.set(read.used, (used.get(read.used) ?? 0) + 1);
      context.used?.(read.used);
    }
    return read && (read.parts ?? []);
  }

  function endBlock(metadata: unknown): AnswerPart[] {
    const citations = extras.citationsOf?.(metadata);
    if (!citations || blockLength === 0) return [];
    textBlocks.push({ length: blockLength, citations });
    blockLength = 0;
    return [{ type: "text", text: "", citations }];
  }

  return {
    read(part: LanguageModelV4StreamPart): AnswerPart[] {
      switch (part.type) {
        case "stream-start":
          for (const warning of part.warnings) warn(context, warning);
          return [];
        case "raw":
          extras.onRaw?.(part.rawValue);
          return [];
        case "text-delta":
          if (!part.delta || whole.has(`text ${part.id}`)) return [];
          blockLength += part.delta.length;
          return [{ type: "text", text: part.delta }];
        case "text-end": {
          const ended = whole.has(`text ${part.id}`) ? [] : endBlock(part.providerMetadata);
          whole.add(`text ${part.id}`);
          const sources = part.citations ?? [];
          return [
            ...ended,
            ...sources.flatMap(({ source }) => readTool(source) ?? toSource(source)),
          ];
        }
        case "reasoning-start":
          // Its text may arrive much later, as a summary; the time counts from here.
          return whole.has(`thought ${part.id}`) ? [] : [{ type: "reasoning", text: "" }];
        case "reasoning-delta":
        case "reasoning-end": {
          if (whole.has(`thought ${part.id}`)) return [];
          if (part.type === "reasoning-end") whole.add(`thought ${part.id}`);
          const text = part.type === "reasoning-delta" ? part.delta : "";
          const metadata = part.providerMetadata as Record<string, JsonObject> | undefined;
          return text || metadata
            ? [{ type: "reasoning", text, ...(metadata && { providerMetadata: metadata }) }]
            : [];
        }
        case "source":
          return readTool(part) ?? toSource(part);
        case "tool-result":
          return readTool(part) ?? [];
        case "file": {
          const name = `${part.mediaType.startsWith("image/") ? "picture" : "file"}-${++files}`;
          if (part.data.type === "url")
            return [
              { type: "file", output: { name, mime: part.mediaType, url: part.data.url.href } },
            ];
          const { data } = part.data;
          return [{ type: "file", output: { name, mime: part.mediaType, bytes: bytesOf(data) } }];
        }
        case "tool-input-start": {
          // The provider's own tools are read from their calls.
          const isOurs = !part.providerExecuted && offered.has(part.toolName);
          return isOurs ? calls.begin(part.id, part.toolName) : [];
        }
        case "tool-input-delta":
          return calls.add(part.id, part.delta);
        case "tool-call": {
          if (part.providerExecuted) return readTool(part) ?? [];
          const { toolCallId: id, toolName: name, input } = part;
          const metadata = part.providerMetadata as Record<string, JsonObject> | undefined;
          return calls.end({ id, name, input, metadata });
        }
        case "finish": {
          const { unified, raw } = part.finishReason;
          const failure = extras.failures?.[raw ?? ""];
          if (failure) throw new ProviderError(failure, "yes");
          // Most clients start with "other" and without the provider's own reason, and end with it
          // if no reason arrived.
          if (
            unified === "interrupted" ||
            unified === "error" ||
            (unified === "other" && raw === undefined)
          )
            return [];
          const costMicros = extras.costMicros?.(part.providerMetadata);
          const result = {
            ...extras.resultOf?.(part.providerMetadata),
            ...(textBlocks.some(({ citations }) => citations.length > 0) && { textBlocks }),
          };
          finish = {
            type: "finish",
            reason: calls.count() > 0 && unified === "stop" ? "tool-calls" : unified,
            usage: {
              ...toUsage(part.usage),
              ...(used.size > 0 && {
                units: Object.fromEntries([...used].map(([tool, times]) => [tool, String(times)])),
              }),
            },
            ...(costMicros !== undefined && { costMicros }),
            ...(Object.keys(result).length > 0 && { result }),
          };
          return [];
        }
        default:
          return [];
      }
    },
    finish: () => finish,
    brokenOffCalls: calls.endAll,
  };
}

export const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? Buffer.from(data, "base64") : data;

/** Passes on the client's own changes and omissions as warnings of the run. */
export function warn(context: Pick<RunContext, "warn">, warning: SharedV4Warning): void {
  if (warning.type === "other")
    context.warn({ type: "note", feature: "", message: warning.message });
  else if (warning.type === "deprecated")
    context.warn({ type: "note", feature: warning.setting, message: warning.message });
  else {
    const message = warning.details ?? sentences.settings.notTaken({ setting: warning.feature });
    context.warn({
      type: warning.type === "unsupported" ? "unsupported" : "changed",
      feature: warning.feature,
      message,
    });
  }
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const counts = {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    reasoningTokens: outputTokens.reasoning || undefined,
    cachedInputTokens: inputTokens.cacheRead || undefined,
    cacheWriteTokens: inputTokens.cacheWrite || undefined,
  };
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isInteger(count) && (count as number) >= 0),
  );
}
