import type { Asset, Model } from "#contract/entities.ts";
import { type ProviderTool, providerTools } from "#contract/filters/provider-tools.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { readUnit, units } from "#contract/units.ts";
import { defaultsOf, propertiesOf } from "../schemas/input-schema.ts";
import { amountOfInput, countedOf } from "./count-units.ts";
import { isFree } from "./free.ts";
import { type Product, sumToMicros } from "./money.ts";

type Price = Model["prices"][number];

/**
 * A provider's usage of one call. Input tokens include cached ones, output tokens include
 * reasoning.
 */
export type Usage = {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  cachedInputTokens?: number;
  cacheWriteTokens?: number;
  /** Input tokens of pictures, if the provider counts them separately. */
  imageInputTokens?: number;
  /**
   * Input tokens of audio and output tokens of pictures, if the provider counts them separately.
   */
  audioInputTokens?: number;
  imageOutputTokens?: number;
  /** Other measures of the provider: { images: "2", "billable-units": "1.5" }. */
  units?: Record<string, string>;
};

/** No call has more tokens. Sums of such counts stay exact. */
const maxTokens = 1e9;

/** A call's token count; zero if the provider reports more than a call can have. */
export function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  const tokens = inputTokens + outputTokens;
  return tokens <= maxTokens ? tokens : 0;
}

/** A run's expected cost and its upper bound, in micro-dollars. */
export type Estimate = { likelyMicros: number; mostMicros: number };
/** The same with null for unknown. `mostMicros` is reserved. */
export type RunPrice = { likelyMicros: number | null; mostMicros: number | null };

/** Tools of the service are the only other units counted in addition to tokens. */
export const isByToken = ({ unit }: Pick<Price, "unit">): boolean => unit.endsWith(" token");

/**
 * The cost of a call in micro-dollars, from the model's prices and the provider's usage.
 * @returns null if unknown: no price, a rate whose amount wasn't reported, or the use of a
 *   provider's tool without a price
 */
export function costOfUsage(prices: readonly Price[], usage: Usage): number | null {
  const known = leastCostOfUsage(prices, usage);
  return known !== null && hasUnpricedUse(prices, usage) ? null : known;
}

/** Whether a provider's tool was used that has no price while tokens do. */
export const hasUnpricedUse = (prices: readonly Price[], usage: Usage): boolean =>
  prices.some(isByToken) &&
  !isFree(prices) &&
  Object.values(providerTools).some(
    ({ unit, counted }) =>
      Number(usage.units?.[counted] ?? 0) > 0 && !prices.some((price) => price.unit === unit),
  );

/** The cost without unpriced tools: a lower bound of the call's cost. */
export function leastCostOfUsage(prices: readonly Price[], usage: Usage): number | null {
  if (prices.length === 0) return null;
  if (isFree(prices)) return 0;
  const products = prices.some(isByToken)
    ? tokenProducts(prices, usage)
    : unitProducts(prices, usage);
  return products && sumToMicros(products);
}

function tokenProducts(prices: readonly Price[], usage: Usage): Product[] | null {
  const rate = (unit: string): string | undefined => {
    const price = prices.find((known) => known.unit === unit);
    const tier = price?.tiers
      ?.filter(({ fromInputTokens }) => (usage.inputTokens ?? 0) > fromInputTokens)
      .at(-1);
    return tier?.micros ?? price?.micros;
  };
  const parts: [unit: string, tokens: number][] = [];
  /** Counts tokens with their own rate separately, and the others as part of the total. */
  const split = (
    whole: string,
    total: number | undefined,
    apart: [unit: string, tokens: number | undefined][],
  ): boolean => {
    if (total === undefined) return rate(whole) === undefined;
    let rest = total;
    for (const [unit, tokens = 0] of apart) {
      if (rate(unit) === undefined) continue;
      const counted = Math.min(tokens, rest);
      parts.push([unit, counted]);
      rest -= counted;
    }
    parts.push([whole, rest]);
    return true;
  };
  const isKnown =
    split("input token", usage.inputTokens, [
      // Precedes cached tokens, which may include audio, because the audio rate is higher.
      ["input audio token", usage.audioInputTokens],
      ["cached input token", usage.cachedInputTokens],
      ["cache write token", usage.cacheWriteTokens],
      ["input image token", usage.imageInputTokens],
    ]) &&
    split("output token", usage.outputTokens, [
      ["output image token", usage.imageOutputTokens],
      ["reasoning token", usage.reasoningTokens],
    ]);
  if (!isKnown) return null;
  parts.push(["request", 1]);
  for (const { unit, counted } of Object.values(providerTools))
    parts.push([unit, Number(usage.units?.[counted] ?? 0)]);
  return parts.flatMap(([unit, count]) => {
    const micros = rate(unit);
    return micros === undefined ? [] : [{ units: String(count), micros }];
  });
}

function unitProducts(prices: readonly Price[], usage: Usage): Product[] | null {
  const price = onlyPrice(prices);
  if (!price) return null;
  const counted = usage.units ?? {};
  // `billable-units` are in the unit of the price.
  const billable = counted["billable-units"];
  if (billable !== undefined) return [{ units: billable, micros: price.micros }];
  const unit = readUnit(price.unit);
  if (unit === null) return null;
  const { of: measure, per } = units[unit];
  if (measure === "run")
    return Object.keys(usage).length > 0 ? [{ units: "1", micros: price.micros }] : null;
  const found = countedOf(measure, counted);
  return found === undefined ? null : [{ units: found, micros: price.micros, per }];
}

/** Ignores prices in several units, which no provider reports together. */
const onlyPrice = (prices: readonly Price[]): Price | undefined =>
  prices.length === 1 ? prices[0] : undefined;

type PricedModel = Pick<Model, "prices" | "capabilities">;
type PricedFormModel = PricedModel & {
  inputSchema: JsonSchema | null;
  tasks?: readonly Task[];
};

/**
 * Estimates one run of a form from the model's price and the form's values, for the button and the
 * reservation. The upper bound counts a picture's partial megapixel, a video's partial minute and a
 * partial thousand characters as whole ones, because providers may bill them so (fal: "rounded up
 * to the nearest megapixel").
 * @param heardSeconds the length of a transcription's recordings, if known
 * @returns null for a model without a price, and for a price whose amount only the run shows
 *   (compute seconds)
 */
export function estimateRun(
  model: PricedFormModel,
  input: JsonObject,
  heardSeconds?: number,
): Estimate | null {
  const { inputSchema: schema, prices, tasks } = model;
  if (tasks?.includes("embedding") && prices.some(isByToken))
    return estimateEmbedding(prices, input);
  // Without a known form, only a price per run is a bound.
  if (schema === null)
    return isFree(prices) || isByRun(prices) ? estimateInput(model, input) : null;
  const own = propertiesOf(schema);
  // Fields unknown to the model don't affect the result, and unset ones have the schema's default.
  const said = Object.entries(input).filter(([name]) => Object.hasOwn(own, name));
  const heard = heardSeconds && { duration: heardSeconds };
  return estimateInput(model, { ...defaultsOf(schema), ...Object.fromEntries(said), ...heard });
}

/** The upper bound is one token per byte, which no tokenizer exceeds. */
function estimateEmbedding(prices: readonly Price[], { input }: JsonObject): Estimate | null {
  const inputs = Array.isArray(input) ? input : [input];
  const texts = inputs.filter((one) => typeof one === "string");
  const tokens = inputs.reduce<number>(
    (sum, one) => sum + (Array.isArray(one) ? one.length : 0),
    0,
  );
  const sumOf = (count: (text: string) => number): number =>
    texts.reduce((sum, text) => sum + count(text), tokens);
  const costOf = (inputTokens: number) => costOfUsage(prices, { inputTokens, outputTokens: 0 });
  const likelyMicros = costOf(sumOf(({ length }) => likelyTokens({ characters: length })));
  const mostMicros = costOf(sumOf((text) => new TextEncoder().encode(text).byteLength));
  return likelyMicros === null || mostMicros === null ? null : { likelyMicros, mostMicros };
}

/**
 * The price on a form's button and the reservation of its run, from the model's prices or else its
 * ceiling.
 */
export const priceOfRun = (
  model: PricedFormModel & Pick<Model, "ceilingMicros">,
  input: JsonObject,
  heardSeconds?: number,
): RunPrice => withCeiling(model, estimateRun(model, input, heardSeconds));

export const withCeiling = (
  { ceilingMicros }: Pick<Model, "ceilingMicros">,
  estimate: { likelyMicros: number; mostMicros: number | null } | null,
): RunPrice => ({
  likelyMicros: estimate?.likelyMicros ?? null,
  mostMicros: estimate?.mostMicros ?? ceilingMicros,
});

/**
 * The total length of recordings in seconds; undefined without recordings, or if a length is
 * unknown.
 */
export function secondsOfRecordings(
  assets: readonly Pick<Asset, "kind" | "durationMs">[],
): number | undefined {
  const recordings = assets.filter(({ kind }) => kind === "audio" || kind === "video");
  const seconds = recordings.reduce(
    (sum, { durationMs }) => sum + (durationMs ?? Number.NaN) / 1_000,
    0,
  );
  return seconds > 0 ? seconds : undefined;
}

/** Whether a run has one price, regardless of its settings. */
const isByRun = (prices: readonly Price[]): boolean => {
  const unit = readUnit(onlyPrice(prices)?.unit ?? "");
  return unit !== null && units[unit].of === "run";
};

/** Estimates an input that contains everything the price depends on. */
export function estimateInput(
  { prices, capabilities }: PricedModel,
  input: JsonObject,
): Estimate | null {
  if (isFree(prices)) return { likelyMicros: 0, mostMicros: 0 };
  const price = onlyPrice(prices);
  const unit = price ? readUnit(price.unit) : null;
  if (!price || unit === null) return null;
  const { of: measure, per } = units[unit];
  const amount = amountOfInput(measure, input, capabilities);
  if (amount === null) return null;
  const { each, count } = amount;
  const begun = Math.ceil(Number((each / per).toFixed(9)));
  const likelyEach = measure === "megapixel" ? Math.max(each, 1) : each;
  const likelyMicros = sumToMicros([
    { units: toDecimal(likelyEach * count), micros: price.micros, per },
  ]);
  const mostMicros = sumToMicros([{ units: toDecimal(begun * count), micros: price.micros }]);
  return likelyMicros === null || mostMicros === null ? null : { likelyMicros, mostMicros };
}

/** The size of an answer's request: everything the model reads, and the limit of the answer. */
export type AnswerSize = {
  messages: number;
  characters: number;
  /** In UTF-8: no tokenizer makes more tokens than bytes. */
  bytes: number;
  pictures: number;
  /** Bytes of other files. */
  fileBytes: number;
  /** How many of these are PDFs, whose pages a model may read both as text and as pictures. */
  documents?: number;
  outputTokens: number;
  /** The model's context window, if known, which bounds what it reads. */
  contextTokens?: number | undefined;
  /** The provider's tools that it may use. */
  tools?: readonly ProviderTool[];
  /** The most uses of all tools together; null if unbounded. */
  toolUses?: number | null;
};
/** `mostMicros` is null if the answer's cost is unbounded. */
export type AnswerEstimate = { likelyMicros: number; mostMicros: number | null };

/** The overhead of a message's markup. */
const tokensPerMessage = 16;
/**
 * The most that most providers count for one picture (Anthropic 4,784, OpenAI 1,445, Google 258 a
 * tile), with a margin.
 */
const tokensPerPicture = 6_000;
/**
 * A hundred pages, the most accepted at once (Anthropic), each as a picture of a page (about 3,000
 * tokens at most).
 */
const tokensPerDocument = 300_000;
const likely = {
  charactersPerToken: 4,
  tokensPerPicture: 1_000,
  outputTokens: 500,
  foundTokens: 8_000,
};

/** An estimate of the tokens in text and files. */
export const likelyTokens = (
  of: Pick<AnswerSize, "characters"> & Partial<Pick<AnswerSize, "pictures" | "fileBytes">>,
): number =>
  Math.ceil(
    (of.characters + (of.fileBytes ?? 0)) / likely.charactersPerToken +
      (of.pictures ?? 0) * likely.tokensPerPicture,
  );

/** @returns null if the model's prices don't cover tokens, or don't cover an allowed tool */
export function estimateAnswer(prices: readonly Price[], size: AnswerSize): AnswerEstimate | null {
  if (isFree(prices)) return { likelyMicros: 0, mostMicros: 0 };
  const {
    messages,
    characters,
    bytes,
    pictures,
    fileBytes,
    documents = 0,
    outputTokens,
    contextTokens = Number.POSITIVE_INFINITY,
    tools = [],
    toolUses = 0,
  } = size;
  const priceOf = (tool: ProviderTool): number =>
    Number(prices.find(({ unit }) => unit === providerTools[tool].unit)?.micros ?? 0);
  const uses = (count: number, of: readonly ProviderTool[]) =>
    of.length > 0 && {
      units: Object.fromEntries(of.map((tool) => [providerTools[tool].counted, String(count)])),
    };
  const dearest = tools.toSorted((a, b) => priceOf(b) - priceOf(a)).slice(0, 1);
  /** After each tool use everything is read again, including its result. */
  const costOf = (inputTokens: number, output: number, times: number, apart: Usage = {}) =>
    costOfUsage(prices, {
      inputTokens:
        times === 0 ? Math.ceil(Math.min(inputTokens, contextTokens)) : (times + 1) * contextTokens,
      outputTokens: output,
      ...apart,
      ...(times > 0 && uses(times, dearest)),
    });
  const likelyInput = Math.min(
    likelyTokens({ characters, pictures, fileBytes }) +
      (tools.includes("webSearch") || tools.includes("fileSearch") ? likely.foundTokens : 0),
    contextTokens,
  );
  const likelyMicros = costOfUsage(prices, {
    inputTokens: likelyInput,
    outputTokens: Math.min(likely.outputTokens, outputTokens),
    ...uses(1, tools),
  });
  if (likelyMicros === null) return null;
  if (toolUses === null || (toolUses > 0 && !Number.isFinite(contextTokens)))
    return { likelyMicros, mostMicros: null };
  const looked = pictures * tokensPerPicture + documents * tokensPerDocument;
  const maxInput = bytes + fileBytes + messages * tokensPerMessage + looked;
  // Any file may be audio and any answer a picture, which can have higher prices. Reasoning can as
  // well, and may use the whole output limit.
  const heard = { audioInputTokens: fileBytes };
  const said = costOf(maxInput, outputTokens, toolUses, {
    ...heard,
    imageOutputTokens: outputTokens,
  });
  const thought = costOf(maxInput, outputTokens, toolUses, {
    ...heard,
    reasoningTokens: outputTokens,
  });
  return said === null || thought === null
    ? null
    : { likelyMicros, mostMicros: Math.max(said, thought) };
}

/** Rounded up, because the reservation must cover it. */
const toDecimal = (value: number): string =>
  (Math.ceil(Number((value * 1e6).toFixed(3))) / 1e6).toFixed(6).replace(/\.?0+$/, "");
