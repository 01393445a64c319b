import type { Run } from "#contract/entities.ts";
import { costOf, type Price } from "../../../messages/format.ts";

/** The fields of a run that determine its cost. */
type RunCost = Pick<
  Run,
  "state" | "costMicros" | "costBasis" | "finishedAt" | "isFree" | "imported"
> & {
  runs?: number;
};

/**
 * The price of several ended runs, as certain as the least certain of them; `hasUnknown` is set if
 * a price is missing.
 */
export function priceOfAll(runs: readonly RunCost[]): { price: Price; hasUnknown: boolean } {
  const prices = runs.filter(({ finishedAt }) => finishedAt !== null).map(costOf);
  const known = prices.filter(({ kind }) => kind !== "unknown");
  const micros = known.reduce((sum, price) => sum + ("micros" in price ? price.micros : 0), 0);
  const isVague = known.some(({ kind }) => kind === "about" || kind === "at-most");
  const isElsewhere = known.some(({ kind }) => kind === "elsewhere");
  const hasUnknown = known.length < prices.length;
  if (known.length === 0 || (hasUnknown && micros === 0))
    return { price: { kind: "unknown" }, hasUnknown: false };
  if (micros === 0)
    return {
      price: { kind: known.some(({ kind }) => kind === "assumed") ? "assumed" : "free" },
      hasUnknown,
    };
  return {
    price: { kind: isVague ? "about" : isElsewhere ? "elsewhere" : "exact", micros },
    hasUnknown,
  };
}

type Totals = {
  spent: Price;
  unknown: number;
  /** Active runs that aren't free. */
  open: number;
  runs: number;
};

/** A conversation's cost so far, and the number of its runs without a known price. */
export function totalsOf(runs: readonly RunCost[]): Totals {
  const ended = runs.filter(({ finishedAt }) => finishedAt !== null);
  const unsure = count(runs, ({ state, isFree }) => state === "unconfirmed" && !isFree);
  const open = count(
    runs,
    ({ finishedAt, state, isFree }) => finishedAt === null && state !== "unconfirmed" && !isFree,
  );
  const unknown =
    unsure + count(ended, (run) => run.state !== "unconfirmed" && costOf(run).kind === "unknown");
  const untouched: Price = { kind: unknown + open > 0 ? "unknown" : "free" };
  return {
    spent: ended.length > 0 ? priceOfAll(ended).price : untouched,
    unknown,
    open,
    runs: count(runs, () => true),
  };
}

const count = (runs: readonly RunCost[], is: (run: RunCost) => boolean): number =>
  runs.reduce((sum, run) => sum + (is(run) ? (run.runs ?? 1) : 0), 0);
