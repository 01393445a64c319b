import type { ModelDetail } from "#contract/entities.ts";
import { readUnit, type Unit } from "#contract/units.ts";
import { formatDollars, parseDollars } from "../../../components/budgets/parse-dollars.ts";

/** Units for a custom media price: those that can be counted for a run. */
export const mediaUnits = [
  "image",
  "megapixel",
  "second",
  "minute",
  "1000 character",
  "compute second",
  "run",
] as const satisfies readonly Unit[];
type MediaUnit = (typeof mediaUnits)[number];
const tokenUnits = ["input token", "output token"] as const;

/** As typed: dollars per million tokens in and out, or per unit. */
export type OwnPrice = { input: string; output: string; unit: MediaUnit; amount: string };
type Prices = { unit: Unit; micros: string }[];

const isByToken = (model: Pick<ModelDetail, "tasks">): boolean => model.tasks.includes("chat");

/** Dollars per million tokens equal micro-dollars per token, so the text is the same. */
export function readOwnPrice(
  model: Pick<ModelDetail, "tasks">,
  { input, output, unit, amount }: OwnPrice,
): Prices | undefined {
  const typed = isByToken(model) ? [input, output] : [amount];
  const micros = typed.flatMap((text) => parseDollars(text) ?? []);
  if (micros.length < typed.length) return undefined;
  if (!isByToken(model)) return [{ unit, micros: String(micros[0]) }];
  return tokenUnits.map((name, i) => ({ unit: name, micros: formatDollars(micros[i] ?? 0) }));
}

function usualUnit(tasks: ModelDetail["tasks"]): MediaUnit {
  if (tasks.includes("video")) return "second";
  if (tasks.includes("transcription")) return "minute";
  if (tasks.includes("speech")) return "1000 character";
  return tasks.includes("image") || tasks.includes("edit") ? "image" : "run";
}

/** The current custom price as typed. */
export function writeOwnPrice({ prices, tasks }: Pick<ModelDetail, "prices" | "tasks">): OwnPrice {
  const of = (unit: string): string => prices.find((price) => price.unit === unit)?.micros ?? "";
  const [price] = prices;
  const known = mediaUnits.find((unit) => price !== undefined && unit === readUnit(price.unit));
  return {
    input: of("input token"),
    output: of("output token"),
    unit: known ?? usualUnit(tasks),
    amount: known && price ? formatDollars(Number(price.micros)) : "",
  };
}
