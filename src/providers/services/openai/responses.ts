import type { JsonObject } from "#contract/json.ts";
import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import type { LanguageExtras } from "../../ai-sdk/language.ts";
import type { SdkCall } from "../../ai-sdk/sdk-call.ts";
import { createLogprobs } from "../../wire/answer/logprobs.ts";
import { baseUrl } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import type { logprobParameters, openaiParameters } from "../../wire/passed-parameters.ts";
import { classify } from "../openai-compatible/errors.ts";
import { createCitationPlaces } from "./citation-places.ts";

/**
 * Opens a model of the Responses API in the AI SDK's client, which loads with the first call, and
 * returns the options of each call.
 */
export async function openResponses(
  call: SdkCall,
  request: RunRequest,
  context: RunContext,
  isBackground = false,
) {
  const [{ createOpenAI }, { createToolReader, openTools }] = await Promise.all([
    import("@ai-sdk/openai"),
    import("./built-in-tools.ts"),
  ]);
  // The guarded fetch replaces the key for kinds that sign in differently.
  const apiKey = context.connection.secret ?? "none";
  const model = createOpenAI({ apiKey, baseURL: baseUrl(context), fetch: call.fetch }).responses(
    request.model.id,
  );
  const { reasoning } = request.model.capabilities;
  const { passed = {}, answerShape } = request;
  const search =
    request.input.fileSearch === true
      ? await (await import("./file-search.ts")).openFileSearch(request, context)
      : undefined;
  const providerTools = openTools(request, context, { search, isBackground });
  // Runs admitted by an earlier version use the older name.
  const maxUses = request.input.maxToolUses ?? request.input.maxSearches;
  const included = [
    ...(search?.tool ? ["file_search_call.results"] : []),
    ...(passed.logprobs === true ? ["message.output_text.logprobs"] : []),
  ];
  return {
    model,
    search,
    extras: {
      providerOptions: {
        openai: {
          store: false,
          // The client guesses unknown models' abilities from the name; the model's facts decide
          // here.
          ...(reasoning !== undefined && { forceReasoning: reasoning }),
          ...(reasoning && { reasoningSummary: "auto" }),
          includeWebSearchSources: false,
          ...(typeof maxUses === "number" && { maxToolCalls: maxUses }),
          systemMessageMode: reasoning ? "developer" : "system",
          // The API's default, but not the client's.
          ...(answerShape?.strict !== true && { strictJsonSchema: false }),
          ...passedOptions(passed),
          ...(included.length > 0 && { include: included }),
        },
      },
      takesAnyObject: true,
      enforcesTools: true,
      takesLateInstructions: true,
      ...(providerTools.length > 0 && {
        providerTools,
        readTool: createToolReader(context, search),
      }),
    },
  };
}

/** Parameters that a program may set, by the client's name for each. */
const clientNames: Record<
  Exclude<(typeof openaiParameters)[number], (typeof logprobParameters)[number]>,
  string
> = {
  parallel_tool_calls: "parallelToolCalls",
  verbosity: "textVerbosity",
  truncation: "truncation",
  prompt_cache_key: "promptCacheKey",
  safety_identifier: "safetyIdentifier",
  prompt_cache_retention: "promptCacheRetention",
};

const passedOptions = (passed: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(clientNames).flatMap(([name, ours]) =>
      passed[name] === undefined ? [] : [[ours, passed[name]]],
    ),
  ),
  // The client's name for the number of alternatives.
  ...(passed.logprobs === true &&
    passed.top_logprobs !== undefined && { logprobs: passed.top_logprobs }),
});

/**
 * Streams one answer of the Responses API. Nothing is stored at OpenAI: data for a reasoning is
 * returned encrypted.
 */
export async function* answerResponses(
  request: RunRequest,
  context: RunContext,
  more: Pick<LanguageExtras, "onRaw"> = {},
): AsyncGenerator<AnswerPart> {
  const [{ createSdkCall }, { answerLanguage }] = await Promise.all([
    import("../../ai-sdk/sdk-call.ts"),
    import("../../ai-sdk/language.ts"),
  ]);
  const call = createSdkCall(context, classify);
  const { model, search, extras } = await openResponses(call, request, context);
  const logprobs = createLogprobs();
  const places = createCitationPlaces();
  const wanted = request.passed?.logprobs === true;
  const onRaw = (event: unknown): void => {
    more.onRaw?.(event);
    // The client keeps a citation's place, but not the text that it counts in, and drops the bytes
    // of log probabilities. Some models search without a search in the request.
    places.readEvent(event);
    if (wanted && isRecord(event) && event.type === "response.output_text.delta")
      logprobs.add(event.logprobs);
  };
  const asked = search ? { ...request, turns: search.turns } : request;
  try {
    let { record } = search ?? {};
    const answered = answerLanguage(call, model, asked, context, { ...extras, onRaw });
    for await (const part of answered) {
      // With the first part, so that an interrupted answer also records the store.
      if (record) yield record;
      record = undefined;
      if (part.type === "finish") logprobs.warnIfCut(context);
      // The end of a thought carries its data; its words carry only an id.
      if (part.type === "reasoning" && part.text) yield { type: "reasoning", text: part.text };
      else if (part.type !== "finish") yield part;
      else {
        const result = { ...part.result, ...logprobs.result().result, ...places.result() };
        yield { ...part, ...(Object.keys(result).length > 0 && { result }) };
      }
    }
  } catch (error) {
    throw search?.toError(error) ?? error;
  }
}
