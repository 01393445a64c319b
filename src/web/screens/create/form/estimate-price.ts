import type { Model } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Price } from "../../../messages/format.ts";

type Priced = { price: Model["price"]; capabilities: Model["capabilities"] };

/** Pixels of the sizes that fal's models name, width then height (ImageSize of their OpenAPI documents). */
const namedSizes: Record<string, [number, number]> = {
  square_hd: [1024, 1024],
  square: [512, 512],
  portrait_4_3: [768, 1024],
  portrait_16_9: [576, 1024],
  landscape_4_3: [1024, 768],
  landscape_16_9: [1024, 576],
};
const words = ["prompt", "text", "input"];

/**
 * What n results of a form will cost, as far as the model's price per unit and the form's values say it. A rate whose amount
 * only the run knows (compute seconds, tokens) is unknown, never a guess.
 */
export function estimatePrice({ price, capabilities }: Priced, values: JsonObject, variants: number): Price {
  if (!price) return { kind: "unknown" };
  const micros = Number(price.micros);
  if (micros === 0) return { kind: "free" };
  const units = unitsOf(price.unit, values, variants, (capabilities.countField as { most: number } | undefined)?.most ?? 1);
  return units === null ? { kind: "unknown" } : { kind: "about", micros: Math.ceil(micros * units) };
}

function unitsOf(unit: string, values: JsonObject, variants: number, mostPerRun: number): number | null {
  const per = (amount: number | null) => (amount === null ? null : amount * variants);
  switch (unit.replace(/s$/, "")) {
    case "image":
    case "video":
      return variants;
    case "run":
    case "request":
    case "generation":
      return Math.ceil(variants / mostPerRun);
    case "megapixel":
      return per(megapixels(values));
    case "second":
      return per(seconds(values.duration));
    case "minute":
      return per(divided(seconds(values.duration), 60));
    case "1000 character":
      return per(divided(characters(values), 1000));
    default:
      return null;
  }
}

const divided = (value: number | null, by: number): number | null => (value === null ? null : value / by);

function megapixels(values: JsonObject): number | null {
  const size = values.image_size ?? values.size;
  const [width, height] =
    typeof size === "string"
      ? (namedSizes[size] ?? size.split("x").map(Number))
      : size && typeof size === "object" && !Array.isArray(size)
        ? [size.width, size.height]
        : [values.width, values.height];
  return typeof width === "number" && typeof height === "number" && width * height > 0 ? (width * height) / 1e6 : null;
}

/** "5", "8s" or 5. */
function seconds(duration: unknown): number | null {
  const count =
    typeof duration === "number" ? duration : typeof duration === "string" ? Number(/^(\d+(?:\.\d+)?)s?$/.exec(duration)?.[1]) : Number.NaN;
  return Number.isFinite(count) && count > 0 ? count : null;
}

function characters(values: JsonObject): number | null {
  const text = words.map((name) => values[name]).find((value) => typeof value === "string");
  return typeof text === "string" && text !== "" ? text.length : null;
}

/** The price of all models together: unknown as soon as one is. */
export function sumPrices(prices: readonly Price[]): Price {
  if (prices.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const micros = prices.reduce((sum, price) => sum + ("micros" in price ? price.micros : 0), 0);
  return micros === 0 ? { kind: "free" } : { kind: "about", micros };
}
