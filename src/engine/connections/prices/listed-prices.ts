import { calcPrice, type ModelPrice as ListedPrice } from "@pydantic/genai-prices";
import type { ModelPrice } from "#providers/adapter.ts";

/**
 * Maps the list's units to the units that runs count. Dollars per million tokens equal
 * micro-dollars per token.
 */
const units: Readonly<Record<string, { unit: string; per: number }>> = {
  input_mtok: { unit: "input token", per: 1 },
  cache_read_mtok: { unit: "cached input token", per: 1 },
  cache_write_mtok: { unit: "cache write token", per: 1 },
  output_mtok: { unit: "output token", per: 1 },
  requests_kcount: { unit: "request", per: 1_000 },
  web_searches_kcount: { unit: "web search", per: 1_000 },
};
/**
 * Only Gemini's own API counts these tokens separately. Elsewhere text rates would be mistaken for
 * audio and image rates.
 */
const geminiUnits: typeof units = {
  input_audio_mtok: { unit: "input audio token", per: 1 },
  output_image_mtok: { unit: "output image token", per: 1 },
};
const isGeminiWire = (api: string): boolean =>
  URL.canParse(api) &&
  /(^|\.)googleapis\.com$/.test(new URL(api).hostname) &&
  !/\/openai\/?$/.test(api);
/**
 * Extras billed separately and only on demand: runs either don't use them or count them at a higher
 * rate.
 */
const onDemand = /file_search|storage|cache_write_1h|cache_audio_read/;

/**
 * The prices of a model in the bundled price list at a point in time.
 * @param api the connection's address, which identifies the provider; another server with the same
 *   model has no listed price
 * @returns an empty list for an unknown model, or for one priced by units that runs don't count
 *   (audio, pictures)
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
