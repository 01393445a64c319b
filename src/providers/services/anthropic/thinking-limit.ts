import { sentences } from "#contract/sentences/index.ts";
import type { RunContext, RunRequest } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";

/** The API's minimum. */
const minThinkingTokens = 1_024;
/** The share of the longest answer available for thinking; the rest is left for text. */
const thinkingShare = 0.8;

/**
 * Makes the output limit include thinking: the client adds the thinking budget to it, so that an
 * answer could cost more than its reservation.
 */
export const withThinkingInLimit =
  (
    fetch: typeof globalThis.fetch,
    { input }: RunRequest,
    context: RunContext,
  ): typeof globalThis.fetch =>
  async (url, init) => {
    const most = input.maxOutputTokens;
    if (typeof most !== "number" || typeof init?.body !== "string") return fetch(url, init);
    const body: unknown = JSON.parse(init.body);
    if (!isRecord(body) || !(Number(body.max_tokens) > most)) return fetch(url, init);
    body.max_tokens = most;
    if (isRecord(body.thinking) && body.thinking.type === "enabled") {
      const budget = Math.min(
        Number(body.thinking.budget_tokens),
        Math.floor(most * thinkingShare),
      );
      if (budget >= minThinkingTokens) body.thinking.budget_tokens = budget;
      else {
        delete body.thinking;
        const message = sentences.settings.noRoomForReasoning({ tokens: minThinkingTokens });
        context.warn({ type: "unsupported", feature: "reasoningEffort", message });
      }
    }
    return fetch(url, { ...init, body: JSON.stringify(body) });
  };
