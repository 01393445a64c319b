import type { Model } from "#contract/entities.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { presetSizes } from "./image-sizes.ts";
import { type Product, sumToMicros } from "./money.ts";

type Price = Model["prices"][number];

/** What a provider counted of one call. Input tokens include cached ones, output tokens include reasoning. */
export type Usage = {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  cachedInputTokens?: number;
  cacheWriteTokens?: number;
  /** Of the input tokens those of pictures, where they are counted apart. */
  imageInputTokens?: number;
  /** Of the input tokens those of sound, and of the output tokens those of pictures, where they are counted apart. */
  audioInputTokens?: number;
  imageOutputTokens?: number;
  /** What else a provider counts: { images: "2", "billable-units": "1.5" }. */
  units?: Record<string, string>;
};

/** More than any call has; sums of so many stay exact. */
const mostTokens = 1e9;

/** The tokens of a call, to be added up: none where a provider counts more than a call can have. */
export function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  const tokens = inputTokens + outputTokens;
  return tokens <= mostTokens ? tokens : 0;
}

/** What a run will cost, in micro-dollars: what it likely will, and what it can't pass. */
export type Estimate = { likelyMicros: number; mostMicros: number };

const isByToken = ({ unit }: Price): boolean => unit.endsWith(" token");
/** Surely free of charge; a model without a price is not. */
export const isFree = (prices: readonly Price[]): boolean => prices.length > 0 && prices.every(({ micros }) => Number(micros) === 0);
/** "Images" and "image" are one unit. */
const singular = (unit: string): string => unit.toLowerCase().replace(/s$/, "");

/**
 * What a call cost by a model's prices and what the provider counted, in micro-dollars.
 * @returns null when the prices do not tell: none, a rate whose amount was not reported
 */
export function costOfUsage(prices: readonly Price[], usage: Usage): number | null {
  if (prices.length === 0) return null;
  if (isFree(prices)) return 0;
  const products = prices.some(isByToken) ? tokenProducts(prices, usage) : unitProducts(prices, usage);
  return products && sumToMicros(products);
}

function tokenProducts(prices: readonly Price[], usage: Usage): Product[] | null {
  const rate = (unit: string): string | undefined => {
    const price = prices.find((known) => known.unit === unit);
    const tier = price?.tiers?.filter(({ fromInputTokens }) => (usage.inputTokens ?? 0) > fromInputTokens).at(-1);
    return tier?.micros ?? price?.micros;
  };
  const parts: [unit: string, tokens: number][] = [];
  /** What has a rate of its own is counted apart; what has none is part of the whole. */
  const split = (whole: string, total: number | undefined, apart: [unit: string, tokens: number | undefined][]): boolean => {
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
      // Before those of the cache, which may hold sound too: its rate is the higher one.
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
  parts.push(["request", 1], ["web search", Number(usage.units?.["web searches"] ?? 0)]);
  return parts.flatMap(([unit, count]) => {
    const micros = rate(unit);
    return micros === undefined ? [] : [{ units: String(count), micros }];
  });
}

function unitProducts(prices: readonly Price[], usage: Usage): Product[] | null {
  const [price, ...others] = prices;
  if (!price || others.length > 0) return null;
  const counted = Object.entries(usage.units ?? {}).find(([unit]) => unit === "billable-units" || singular(unit) === singular(price.unit));
  return counted ? [{ units: counted[1], micros: price.micros }] : null;
}

type Priced = Pick<Model, "prices" | "capabilities">;

/**
 * What one run of a form will cost, as far as the model's price for a unit and the form's values tell it.
 * @returns null for a model without a price, and for a rate whose amount only the run knows (compute seconds)
 */
export function estimateInput({ prices, capabilities }: Priced, input: JsonObject): Estimate | null {
  if (isFree(prices)) return { likelyMicros: 0, mostMicros: 0 };
  const [price, ...others] = prices;
  if (!price || others.length > 0) return null;
  const unit = singular(price.unit);
  const amount = amountOfInput(unit, input, capabilities);
  if (amount === null) return null;
  const { each, count } = amount;
  // A begun megapixel of each picture may be billed as a whole one (fal: "rounded up to the nearest megapixel").
  const [likelyEach, mostEach] = unit === "megapixel" ? [Math.max(each, 1), Math.ceil(each)] : [each, each];
  const likelyMicros = sumToMicros([{ units: toDecimal(likelyEach * count), micros: price.micros }]);
  const mostMicros = sumToMicros([{ units: toDecimal(mostEach * count), micros: price.micros }]);
  return likelyMicros === null || mostMicros === null ? null : { likelyMicros, mostMicros };
}

/** What an answer is asked from: all that the model will read, and our limit of what it may say. */
export type AnswerSize = {
  messages: number;
  characters: number;
  /** UTF-8: no tokenizer makes more tokens than bytes. */
  bytes: number;
  pictures: number;
  /** Bytes of other files. */
  fileBytes: number;
  /** Of those the ones whose pages a model may look at as pictures besides reading them: PDF. */
  documents?: number;
  outputTokens: number;
  /** The model's own window, where it is known: it reads no more than that. */
  contextTokens?: number | undefined;
};

/** Marks around a message. */
const tokensPerMessage = 16;
/** The most that most providers' tables give for one picture (Anthropic 4,784, OpenAI 1,445, Google 258 a tile), with room. */
const tokensPerPicture = 6_000;
/** A hundred pages, the most that is taken at once (Anthropic), each as a picture of a page (about 3,000 tokens at most). */
const tokensPerDocument = 300_000;
const likely = { charactersPerToken: 4, tokensPerPicture: 1_000, outputTokens: 500 };

/** About how many tokens words and files are, where nobody counted them. */
export const likelyTokens = (of: Pick<AnswerSize, "characters"> & Partial<Pick<AnswerSize, "pictures" | "fileBytes">>): number =>
  Math.ceil((of.characters + (of.fileBytes ?? 0)) / likely.charactersPerToken + (of.pictures ?? 0) * likely.tokensPerPicture);

/** @returns null for a model whose prices do not tell what tokens cost */
export function estimateAnswer(prices: readonly Price[], size: AnswerSize): Estimate | null {
  const { messages, characters, bytes, pictures, fileBytes, documents = 0, outputTokens, contextTokens = Number.POSITIVE_INFINITY } = size;
  const costOf = (inputTokens: number, output: number, apart: Usage = {}) =>
    costOfUsage(prices, { inputTokens: Math.ceil(Math.min(inputTokens, contextTokens)), outputTokens: output, ...apart });
  const likelyMicros = costOf(likelyTokens({ characters, pictures, fileBytes }), Math.min(likely.outputTokens, outputTokens));
  const looked = pictures * tokensPerPicture + documents * tokensPerDocument;
  const mostInput = bytes + fileBytes + messages * tokensPerMessage + looked;
  // Any file may be sound and any answer a picture, which some price higher; so may reasoning be, and all of the output limit go there.
  const heard = { audioInputTokens: fileBytes };
  const said = costOf(mostInput, outputTokens, { ...heard, imageOutputTokens: outputTokens });
  const thought = costOf(mostInput, outputTokens, { ...heard, reasoningTokens: outputTokens });
  return likelyMicros === null || said === null || thought === null ? null : { likelyMicros, mostMicros: Math.max(said, thought) };
}

const textFields = ["prompt", "text", "input"];

/** How services name the number of results; a model may have its own name for it. */
const countNames = ["n", "num_images", "num_samples", "num_outputs", "num_videos"];
const unitsOfRun: ReadonlySet<string> = new Set(["run", "request", "generation"]);

/** Whether a run has one price, whatever its form says. */
export const isByRun = (prices: readonly Price[]): boolean =>
  prices.length === 1 && prices.every(({ unit }) => unitsOfRun.has(singular(unit)));

/** How many of a unit each thing takes that an input asks for, and how many things. */
function amountOfInput(unit: string, input: JsonObject, capabilities: Model["capabilities"]): { each: number; count: number } | null {
  const countField = capabilities.countField as { name: string } | undefined;
  const names = [...(countField ? [countField.name] : []), ...countNames];
  const asked = names.map((name) => input[name]).find((value) => value !== undefined && value !== null);
  const count = unitsOfRun.has(unit) ? 1 : Number(asked ?? 1);
  const each = unitsOfOne(unit, input);
  return each === null || !(count > 0) ? null : { each, count };
}

function unitsOfOne(unit: string, input: JsonObject): number | null {
  switch (unit) {
    case "image":
    case "video":
    case "run":
    case "request":
    case "generation":
      return 1;
    case "megapixel":
      return megapixelsOf(input);
    case "second":
      return secondsOf(input.duration);
    case "minute":
      return divided(secondsOf(input.duration), 60);
    case "character":
      return charactersOf(input);
    case "1000 character":
      return divided(charactersOf(input), 1000);
    default:
      return null;
  }
}

/** Rounded up, for what is held must cover it. */
const toDecimal = (value: number): string => (Math.ceil(Number((value * 1e6).toFixed(3))) / 1e6).toFixed(6).replace(/\.?0+$/, "");
const divided = (value: number | null, by: number): number | null => (value === null ? null : value / by);

function megapixelsOf(input: JsonObject): number | null {
  const size = input.image_size ?? input.size;
  const [width, height] =
    typeof size === "string"
      ? (presetSizes.get(size) ?? size.split("x").map(Number))
      : size && typeof size === "object" && !Array.isArray(size)
        ? [size.width, size.height]
        : [input.width, input.height];
  return typeof width === "number" && typeof height === "number" && width * height > 0 ? (width * height) / 1e6 : null;
}

/** "5", "8s" or 5. */
function secondsOf(duration: Json | undefined): number | null {
  const count =
    typeof duration === "number" ? duration : typeof duration === "string" ? Number(/^(\d+(?:\.\d+)?)s?$/.exec(duration)?.[1]) : Number.NaN;
  return Number.isFinite(count) && count > 0 ? count : null;
}

function charactersOf(input: JsonObject): number | null {
  // Which of them is read aloud and which says how, nobody knows: all of them.
  const characters = textFields.reduce((sum, name) => sum + (typeof input[name] === "string" ? input[name].length : 0), 0);
  return characters > 0 ? characters : null;
}
