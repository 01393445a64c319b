import { calcPrice, type ModelPrice as ListedPrice } from "@pydantic/genai-prices";
import type { ModelPrice } from "#providers/adapter.ts";

/** The list's names for what we count too. Dollars a million tokens are micro-dollars a token. */
const units: Readonly<Record<string, { unit: string; per: number }>> = {
  input_mtok: { unit: "input token", per: 1 },
  cache_read_mtok: { unit: "cached input token", per: 1 },
  cache_write_mtok: { unit: "cache write token", per: 1 },
  output_mtok: { unit: "output token", per: 1 },
  requests_kcount: { unit: "request", per: 1_000 },
  web_searches_kcount: { unit: "web search", per: 1_000 },
};
/** What only Gemini's own wire tells apart: on any other the rates of words would be taken for those of sound and pictures. */
const geminiUnits: typeof units = {
  input_audio_mtok: { unit: "input audio token", per: 1 },
  output_image_mtok: { unit: "output image token", per: 1 },
};
const isGeminiWire = (api: string): boolean =>
  URL.canParse(api) &&
  /(^|\.)googleapis\.com$/.test(new URL(api).hostname) &&
  !/\/openai\/?$/.test(api);
/** What is paid apart and only on demand; we ask for none of it, or count it at a higher rate. */
const onDemand = /file_search|storage|cache_write_1h|cache_audio_read/;

/**
 * What a model costs by the price list that the program carries, at a time of day and a date.
 * @param api the connection's address, by which the list knows the provider: any other server of the same model is not priced
 * @returns nothing for a model that the list does not know, or that also counts what our usage does not (sound, pictures)
 */
export function listedPrices(api: string, modelId: string, at: number): ModelPrice[] {
  const found = calcPrice({ input_tokens: 1 }, modelId, {
    providerApiUrl: api,
    timestamp: new Date(at),
  });
  const listed = Object.entries(found?.model_price ?? {}).filter(
    ([key, value]) => value !== undefined && !onDemand.test(key),
  );
  const counted = isGeminiWire(api) ? { ...units, ...geminiUnits } : units;
  if (listed.length === 0 || listed.some(([key]) => !(key in counted))) return [];
  return listed.map(([key, value]) => toPrice(counted[key]!, value!, at));
}

function toPrice(
  { unit, per }: (typeof units)[string],
  value: NonNullable<ListedPrice[string]>,
  at: number,
): ModelPrice {
  const micros = (dollars: number): string => toDecimal(dollars * per);
  const shared = { unit, source: "genai-prices", at };
  if (typeof value === "number") return { ...shared, micros: micros(value) };
  const tiers = value.tiers.map(({ start, price }) => ({
    fromInputTokens: start,
    micros: micros(price),
  }));
  return { ...shared, micros: micros(value.base), ...(tiers.length > 0 && { tiers }) };
}

const toDecimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, "");
