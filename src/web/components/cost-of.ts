import type { Run } from "#contract/entities.ts";
import type { Price } from "../messages/format.ts";

/** What an ended run cost, and how well that is known: an estimate is "about", a hold taken for it "at most". */
export function costOf({ costMicros: micros, costBasis }: Pick<Run, "costMicros" | "costBasis">): Price {
  if (micros === null) return { kind: "unknown" };
  if (micros === 0) return { kind: "free" };
  return { kind: costBasis === "estimated" ? "about" : costBasis === "held" ? "at-most" : "exact", micros };
}

/** A sum is as well known as the worst of what is in it. */
export const sumOf = (micros: number, runs: readonly Pick<Run, "costBasis">[]): Price => ({
  kind: runs.some(({ costBasis }) => costBasis === "estimated" || costBasis === "held") ? "about" : "exact",
  micros,
});
