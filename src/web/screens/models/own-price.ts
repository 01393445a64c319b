import type { ModelDetail } from "#contract/entities.ts";
import { parseDollars, writeDollars } from "../../components/budgets/parse-dollars.ts";

/** Units that a person may price media by. */
export const mediaUnits = ["image", "megapixel", "second", "minute", "run"] as const;
export type MediaUnit = (typeof mediaUnits)[number];
const tokenUnits = ["input token", "output token"] as const;

/** As it is typed: dollars for a million tokens in and out, or for one unit. */
export type OwnPrice = { input: string; output: string; unit: MediaUnit; amount: string };
type Prices = { unit: string; micros: string }[];

const isByToken = (model: Pick<ModelDetail, "tasks">): boolean => model.tasks.includes("chat");

/** A dollar for a million tokens is a micro for each, so the text of one is that of the other. */
export function readOwnPrice(model: Pick<ModelDetail, "tasks">, { input, output, unit, amount }: OwnPrice): Prices | undefined {
  const typed = isByToken(model) ? [input, output] : [amount];
  const micros = typed.flatMap((text) => parseDollars(text) ?? []);
  if (micros.length < typed.length) return undefined;
  if (!isByToken(model)) return [{ unit, micros: String(micros[0]) }];
  return tokenUnits.map((name, i) => ({ unit: name, micros: writeDollars(micros[i] ?? 0) }));
}

/** What a person set before, as it was typed. */
export function writeOwnPrice({ prices, tasks }: Pick<ModelDetail, "prices" | "tasks">): OwnPrice {
  const of = (unit: string): string => prices.find((price) => price.unit === unit)?.micros ?? "";
  const [price] = prices;
  const known = mediaUnits.find((unit) => unit === price?.unit);
  const usual = tasks.includes("video") ? "second" : tasks.includes("image") || tasks.includes("edit") ? "image" : "run";
  return {
    input: of("input token"),
    output: of("output token"),
    unit: known ?? usual,
    amount: known && price ? writeDollars(Number(price.micros)) : "",
  };
}
