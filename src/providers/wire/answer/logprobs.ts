import type { Json } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { RunContext } from "../../adapter.ts";
import { isRecord } from "../error-fields.ts";

/** The most tokens and alternatives stored with a run, about 70 bytes each. */
const most = 50_000;

/**
 * Collects the log probabilities of an answer's tokens and their likeliest alternatives, in
 * OpenAI's form.
 */
export function createLogprobs() {
  const kept: Json[] = [];
  let entries = 0;
  return {
    add(tokens: unknown): void {
      for (const token of Array.isArray(tokens) ? (tokens as Json[]) : []) {
        entries +=
          1 +
          (isRecord(token) && Array.isArray(token.top_logprobs) ? token.top_logprobs.length : 0);
        if (entries <= most) kept.push(token);
      }
    },
    /** Returns the part that is stored with the run. */
    result: (): { result?: { logprobs: Json[] } } =>
      kept.length > 0 ? { result: { logprobs: kept } } : {},
    warnIfCut({ warn }: Pick<RunContext, "warn">): void {
      if (entries > most)
        warn({
          type: "changed",
          feature: "logprobs",
          message: sentences.settings.logprobsCut,
        });
    },
  };
}
