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
import { toToolCall } from "../wire/tool-call.ts";
import type { SdkCall } from "./sdk-call.ts";

/**
 * What a call or a result of a tool that the provider runs says, or a source that is a file of one. Undefined: nothing of its own.
 * `used` once unless `times` are said.
 */
export type ReadTool = (
  part: Extract<LanguageModelV4StreamPart, { type: "tool-call" | "tool-result" | "source" }>,
) => { parts?: AnswerPart[]; used?: CountedUse; times?: number } | undefined;

/** A kind's additions to a call. */
export type LanguageExtras = {
  providerOptions?: LanguageModelV4CallOptions["providerOptions"];
  /** Tools that the provider runs itself (its web search). */
  providerTools?: LanguageModelV4ProviderTool[];
  /** Reads what tools that the provider runs give; how often they were used counts. */
  readTool?: ReadTool;
  /** What tools that the provider ran for an earlier answer did, as its client sends it back. Without it, it stays here. */
  openRecord?: OpenRecord;
  /** Receives each raw event, for facts that the client drops. */
  onRaw?(event: unknown): void;
  /** The prompt as this provider takes it: marks of its cache, names of its files. */
  editPrompt?(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt;
  /** Files of text go in as documents of their own, which the provider cites. */
  documents?: boolean;
  /** Reasons of an end, in the provider's own word, that are none: the answer broke off there. */
  failures?: Readonly<Record<string, ErrorCode>>;
  /** It has a mode for an answer that is any JSON object. */
  takesAnyObject?: boolean;
  /** It takes instructions after the first turn as such. Without it they go into the messages as text. */
  takesLateInstructions?: boolean;
  /** The form of a call's id that it takes. */
  callId?(id: string): string;
  /** What the provider says of the price, from its own metadata. */
  costMicros?(metadata: unknown): number | undefined;
};

/**
 * One chat answer through a model of the AI SDK, over one POST. Ends with `finish`, or throws: ProviderError after everything
 * that came before the failure, or the signal's reason. The specification's stream is read as it is (`doStream`): no
 * repetition, no step of its own.
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
  const reader = createPartReader(context, extras);
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
  // A line that is lost after the finish takes nothing with it.
  if (finish) yield finish;
  else {
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

/** Claude's form of the ids of calls: those of other services may have dots and colons. */
export const claudeCallId = (id: string): string => id.replace(/[^\w-]/g, "_");

/** The prompt with each call and its result under another id. */
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

/** The same question asked whole: for a provider that answers it with the name of a job. */
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
    ...(tools ?? []).map(({ inputSchema, ...tool }) => ({
      type: "function" as const,
      ...tool,
      inputSchema: inputSchema as JSONSchema7,
    })),
    ...(extras.providerTools ?? []),
  ];
  return {
    maxOutputTokens: numberOf(input.maxOutputTokens),
    temperature: numberOf(input.temperature),
    topP: numberOf(input.topP),
    topK: numberOf(input.topK ?? passed?.top_k),
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

const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const isEffort = (value: unknown): value is (typeof efforts)[number] =>
  efforts.some((effort) => effort === value);

/** Turns the parts of the specification into ours. */
function createPartReader(context: RunContext, extras: LanguageExtras) {
  const cited = new Set<string>();
  /** Blocks and calls that have come whole: an answer that a gateway gives twice is read once. */
  const whole = new Set<string>();
  let files = 0;
  let calls = 0;
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
          return part.delta && !whole.has(`text ${part.id}`)
            ? [{ type: "text", text: part.delta }]
            : [];
        case "text-end":
          whole.add(`text ${part.id}`);
          return (part.citations ?? []).flatMap(
            ({ source }) => readTool(source) ?? toSource(source),
          );
        case "reasoning-start":
          // Its words may come much later, as a summary: the time counts from here.
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
        case "tool-call": {
          if (part.providerExecuted) return readTool(part) ?? [];
          if (whole.has(`call ${part.toolCallId}`)) return [];
          whole.add(`call ${part.toolCallId}`);
          calls++;
          const metadata = part.providerMetadata as Record<string, JsonObject> | undefined;
          return [
            {
              ...toToolCall(part.toolCallId, part.toolName, part.input),
              ...(metadata && { providerMetadata: metadata }),
            },
          ];
        }
        case "finish": {
          const { unified, raw } = part.finishReason;
          const failure = extras.failures?.[raw ?? ""];
          if (failure) throw new ProviderError(failure, "yes");
          // Most clients begin with "other" and no word of the provider's, and end with it when none came.
          if (
            unified === "interrupted" ||
            unified === "error" ||
            (unified === "other" && raw === undefined)
          )
            return [];
          const costMicros = extras.costMicros?.(part.providerMetadata);
          finish = {
            type: "finish",
            reason: calls > 0 && unified === "stop" ? "tool-calls" : unified,
            usage: {
              ...toUsage(part.usage),
              ...(used.size > 0 && {
                units: Object.fromEntries([...used].map(([tool, times]) => [tool, String(times)])),
              }),
            },
            ...(costMicros !== undefined && { costMicros }),
          };
          return [];
        }
        default:
          return [];
      }
    },
    finish: () => finish,
  };
}

export const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? Buffer.from(data, "base64") : data;

/** What the client changed or left out reaches the person as it would from ourselves. */
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
