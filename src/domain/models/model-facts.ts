import type { PriceKind } from "#contract/filters/model-filters.ts";

type Facts = {
  tasks: readonly string[];
  inputModalities: readonly string[];
  outputModalities: readonly string[];
  capabilities: unknown;
  family?: string | null;
};

export const factWord = {
  task: (task: string) => `task:${task}`,
  takes: (modality: string) => `takes:${modality}`,
  gives: (modality: string) => `gives:${modality}`,
  can: (capability: string) => `can:${capability}`,
  family: (family: string) => `family:${family}`,
  hasSample: "has:sample",
};

/**
 * The facts that models are filtered by, as words with a blank on either side (" task:chat
 * can:tools "), short enough for an index to be read instead of the wide row. Migrations wrote
 * these as well, so a change of the format needs a migration.
 */
export function factsText({
  tasks,
  inputModalities,
  outputModalities,
  capabilities,
  family,
}: Facts): string {
  const known = (capabilities ?? {}) as Record<string, unknown>;
  const can = Object.entries(known).filter(([, value]) => value === true);
  const words = [
    ...tasks.map(factWord.task),
    ...inputModalities.map(factWord.takes),
    ...outputModalities.map(factWord.gives),
    ...can.map(([name]) => factWord.can(name)),
    ...(family ? [factWord.family(family)] : []),
    ...(known.sample ? [factWord.hasSample] : []),
  ];
  return ` ${words.join(" ")} `;
}

/** A price with several parts is free only if each of them is. */
export function priceKindOf(prices: readonly { micros: string }[]): PriceKind {
  if (prices.length === 0) return "unknown";
  return prices.every(({ micros }) => Number(micros) === 0) ? "free" : "known";
}
