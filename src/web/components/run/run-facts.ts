import type { Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { costOf, type Price } from "../../messages/format.ts";
import { lastQuestion } from "./run-text.ts";

const finalStates: readonly string[] = ["succeeded", "failed", "cancelled"];
export const isEnded = (run: Pick<Run, "state">): boolean => finalStates.includes(run.state);

/**
 * A run's prompt, or the last question of a conversation sent with it; undefined if it has neither.
 */
export const promptOfRun = (run: Pick<Run, "input">): string | undefined =>
  promptOf(run.input as JsonObject) || lastQuestion(run);

export const titleOf = (run: Pick<Run, "input" | "task">): string =>
  promptOfRun(run) ?? tasks[run.task].name;

/** The spent amount, else the reserved one, else free by the model's price; otherwise unknown. */
export function priceOf(
  run: Pick<Run, "costMicros" | "costBasis" | "heldMicros" | "isFree" | "imported">,
): Price {
  if (run.costMicros !== null || run.imported) return costOf(run);
  if (run.heldMicros > 0) return { kind: "at-most", micros: run.heldMicros };
  return { kind: run.isFree ? "free" : "unknown" };
}

/** How long the run took, from its claim to its end, in ms. */
export const tookMs = (run: Pick<Run, "startedAt" | "finishedAt">): number | null =>
  run.startedAt !== null && run.finishedAt !== null ? run.finishedAt - run.startedAt : null;

type Tokens = { input: number | null; output: number | null; isEstimate: boolean };

const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** Tokens as counted by the provider, or by Bottega if the answer was cut off. */
export function tokensOf(run: Pick<Run, "usage">): Tokens {
  const units = run.usage?.units;
  const isEstimate = typeof units === "object" && units !== null && "estimated" in units;
  return {
    input: countOf(run.usage?.inputTokens),
    output: countOf(run.usage?.outputTokens),
    isEstimate,
  };
}
