import type { JSONObject, LanguageModelV4, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  ProviderError,
  type RunContext,
  type RunRequest,
  type Usage,
} from "../../adapter.ts";
import { answerLanguage, type ReadTool } from "../../ai-sdk/language.ts";
import {
  createRecords,
  openCodeRecord,
  outputParts,
  programPart,
  shortened,
} from "../../ai-sdk/ran-code.ts";
import type { SdkCall } from "../../ai-sdk/sdk-call.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { placedCitations } from "./citation-places.ts";
import { searchesByAnswer } from "./snapshot.ts";

/**
 * A Gemini model in the AI SDK's client, and the name under which that client reads its options.
 */
export type GeminiModel = { model: LanguageModelV4; name: "google" | "googleVertex" };

/** Runs at Google; its results arrive as sources. */
const googleSearch: LanguageModelV4ProviderTool = {
  type: "provider",
  id: "google.google_search",
  name: "google_search",
  args: {},
};

/** Runs at Google as well; its output and pictures arrive with the answer. */
const codeExecution: LanguageModelV4ProviderTool = {
  type: "provider",
  id: "google.code_execution",
  name: "code_execution",
  args: {},
};

/**
 * Reads the programs of one answer (https://ai.google.dev/api/caching#ExecutableCode,
 * #CodeExecutionResult).
 */
function createCodeReader(): ReadTool {
  const open = new Map<string, JsonObject>();
  const toRecord = createRecords();
  let hasRun = false;
  return (part) => {
    if (part.type === "source" || part.toolName !== codeExecution.name) return undefined;
    if (part.type === "tool-call") {
      const input = JSON.parse(part.input) as { language: string; code: string };
      open.set(part.toolCallId, input);
      const isFirst = !hasRun;
      hasRun = true;
      return {
        ...(isFirst && { used: "code sessions" }),
        parts: programPart(input.code, input.language.toLowerCase()),
      };
    }
    const input = open.get(part.toolCallId);
    if (!input || !isRecord(part.result)) return {};
    open.delete(part.toolCallId);
    const { outcome, output } = part.result;
    const printed = String(output ?? "");
    const failure =
      outcome === "OUTCOME_OK" ? null : toWords(String(outcome).replace(/^OUTCOME_/, ""));
    return {
      parts: [
        ...outputParts(printed, failure),
        ...toRecord(
          { id: part.toolCallId, input },
          { outcome: String(outcome), output: shortened(printed) },
        ),
      ],
    };
  };
}

/**
 * Facts that the client drops: Google's own reason for a missing answer (from the prompt or the
 * unfinished answer), and the usage counts.
 */
type RawFacts = {
  blocked: string | null;
  finish: string | null;
  searches: Set<string>;
  /** The pages that were found, and where the text cites them. */
  grounding: unknown;
  usage: unknown;
  isRepeated: boolean;
};

/**
 * Streams one answer of a Gemini model (generateContent). A blocked prompt throws
 * `provider_rejected`; an answer that was stopped ends as `content-filter`.
 * @throws ProviderError, or the signal's reason
 */
export async function* answerGemini(
  call: SdkCall,
  { model, name }: GeminiModel,
  request: RunRequest,
  context: RunContext,
  more: JSONObject = {},
): AsyncGenerator<AnswerPart> {
  const seen: RawFacts = {
    blocked: null,
    finish: null,
    searches: new Set(),
    grounding: null,
    usage: null,
    isRepeated: false,
  };
  const { webSearch, codeInterpreter } = request.input;
  const providerTools = [
    ...(webSearch === true ? [googleSearch] : []),
    ...(codeInterpreter === true ? [codeExecution] : []),
  ];
  const extras = {
    providerOptions: { [name]: { ...optionsOf(request), ...more } },
    ...(providerTools.length > 0 && { providerTools }),
    ...(codeInterpreter === true && {
      readTool: createCodeReader(),
      openRecord: openCodeRecord,
    }),
    onRaw: (event: unknown) => {
      const before = searchesOf(seen, request);
      readFacts(event, seen);
      for (let more = searchesOf(seen, request) - before; more > 0; more--)
        context.used?.("web searches");
    },
  };
  let text = "";
  try {
    for await (const part of answerLanguage(call, model, request, context, extras)) {
      if (part.type !== "finish" && seen.isRepeated) continue;
      if (part.type === "text") text += part.text;
      if (part.type !== "finish") yield part;
      else if (seen.blocked) throw stoppedBefore(seen.blocked);
      else {
        const urlCitations = placedCitations(seen.grounding, text);
        yield {
          ...part,
          ...(urlCitations.length > 0 && { result: { ...part.result, urlCitations } }),
          usage: {
            ...part.usage,
            ...readModalities(seen.usage),
            ...unitsOf(searchesOf(seen, request), part.usage.units),
          },
        };
      }
    }
  } catch (error) {
    // The client treats this as no end at all, but it is one, and the text before it is valid.
    if (seen.finish !== "MALFORMED_FUNCTION_CALL" || !(error instanceof ProviderError)) throw error;
    const message = sentences.answers.malformedToolCall;
    throw new ProviderError("provider_interrupted", "yes", { ...error.detail, message });
  }
}

/**
 * Returns the form's settings as the client's own options. Thoughts are requested from every model
 * that has them.
 */
function optionsOf({ input, model }: RunRequest): JSONObject {
  return {
    ...(model.capabilities.reasoning === true && {
      thinkingConfig: {
        includeThoughts: true,
        ...(typeof input.thinkingBudget === "number" && { thinkingBudget: input.thinkingBudget }),
      },
    }),
    ...(typeof input.safety === "string" && input.safety !== "" && { threshold: input.safety }),
  };
}

/** Counts the billed searches. */
const searchesOf = ({ searches }: RawFacts, { model }: RunRequest): number =>
  searchesByAnswer(model.id) ? Math.min(1, searches.size) : searches.size;

const unitsOf = (searches: number, units: Usage["units"]): Usage =>
  searches > 0 ? { units: { ...units, "web searches": String(searches) } } : {};

/**
 * Reads the separate counts of `usageMetadata`: `promptTokensDetails: [{modality: "AUDIO",
 * tokenCount: 40}]`.
 */
function readModalities(usage: unknown): Usage {
  const count = (details: unknown, modality: string): number | undefined => {
    const rows: unknown[] = Array.isArray(details) ? details : [];
    const found = rows.find((row) => isRecord(row) && row.modality === modality);
    return isRecord(found) && Number.isInteger(found.tokenCount)
      ? Number(found.tokenCount)
      : undefined;
  };
  if (!isRecord(usage)) return {};
  const audio = count(usage.promptTokensDetails, "AUDIO");
  const pictures = count(usage.candidatesTokensDetails, "IMAGE");
  return {
    ...(audio && { audioInputTokens: audio }),
    ...(pictures && { imageOutputTokens: pictures }),
  };
}

function readFacts(event: unknown, seen: RawFacts): void {
  if (!isRecord(event)) return;
  seen.usage = event.usageMetadata ?? seen.usage;
  const { blockReason } = isRecord(event.promptFeedback) ? event.promptFeedback : {};
  if (typeof blockReason === "string" && !blockReason.endsWith("_UNSPECIFIED"))
    seen.blocked = blockReason;
  const [candidate]: unknown[] = Array.isArray(event.candidates) ? event.candidates : [];
  if (!isRecord(candidate)) return;
  // Nothing follows the finish, unless an intermediary repeats the answer.
  const { parts } = isRecord(candidate.content) ? candidate.content : {};
  seen.isRepeated ||=
    seen.finish !== null &&
    Array.isArray(parts) &&
    parts.some((part) => isRecord(part) && part.text !== "");
  if (typeof candidate.finishReason === "string") seen.finish = candidate.finishReason;
  const grounding = isRecord(candidate.groundingMetadata) ? candidate.groundingMetadata : {};
  if (grounding.groundingSupports) seen.grounding = grounding;
  const queries: unknown[] = Array.isArray(grounding.webSearchQueries)
    ? grounding.webSearchQueries
    : [];
  for (const query of queries) if (typeof query === "string" && query) seen.searches.add(query);
}

const stoppedBefore = (reason: string): ProviderError =>
  new ProviderError("provider_rejected", "yes", {
    message: sentences.answers.promptRefused({ reason: toWords(reason) }),
  });

/** Formats PROHIBITED_CONTENT for people. */
const toWords = (name: string): string => name.toLowerCase().replaceAll("_", " ");
