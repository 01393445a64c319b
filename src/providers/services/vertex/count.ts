import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, PlainQuestion } from "../../adapter.ts";
import { statedCount } from "../../wire/values.ts";
import { askObject } from "../google/access.ts";
import { countGemini } from "../google/count.ts";
import { signIn } from "./access.ts";
import { claudeVersion, isPartner } from "./partners.ts";

/**
 * Uses Gemini's own count, or Claude's
 * (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens).
 * Open models have none.
 * @throws ProviderError
 */
export async function countTokens(
  modelId: string,
  question: PlainQuestion,
  context: CallContext,
): Promise<number | null> {
  const isClaude = modelId.startsWith("anthropic/");
  if (isPartner(modelId) && !isClaude) return null;
  const { google, partners } = await signIn(context);
  if (!isClaude) return countGemini(modelId, question, google, (asked) => asked);
  if (!partners) return null;
  const { input_tokens } = await askObject(partners.anthropic, "/models/count-tokens:rawPredict", {
    anthropic_version: claudeVersion,
    model: modelId.replace(/^anthropic\//, ""),
    ...question,
  });
  return statedCount(input_tokens, sentences.connections.notService({ service: "Google" }));
}
