import type { Json } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { RunContext } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

/** Tokens and their alternatives that are kept with a run, about 70 bytes each. */
const most = 50_000;

/** Gathers the log probabilities of an answer's tokens, in OpenAI's form: of each token, and of those that nearly came in its place. */
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
    /** What the run keeps of them. */
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
