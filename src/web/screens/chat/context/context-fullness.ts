import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";

export type ContextUse = RouteOutput<"estimateAnswer">["context"];

/** How much of the context the next answer fills: calm, nearly full, or over. */
export type Fullness = { share: number; level: "calm" | "near" | "over" };
export function fullnessOf({
  inputTokens,
  neededTokens,
  contextTokens,
}: ContextUse): Fullness | null {
  if (contextTokens === null) return null;
  const share = (inputTokens + neededTokens) / contextTokens;
  return { share, level: share > 1 ? "over" : share >= limits.contextWarnShare ? "near" : "calm" };
}

/**
 * The context's use as a sentence, with the estimated parts and the files that can't be counted.
 */
export function describeUse(
  { inputTokens, outputTokens, contextTokens, isAbout, uncountedFiles }: ContextUse,
  name: string,
): string {
  const tokens = formatCount(inputTokens);
  const text =
    contextTokens === null
      ? t(isAbout ? "context.use.unknownAbout" : "context.use.unknown", { tokens, name })
      : t(isAbout ? "context.use.about" : "context.use", {
          tokens,
          most: formatCount(contextTokens),
          answer: formatCount(outputTokens),
          name,
        });
  return uncountedFiles > 0
    ? `${text} ${t("context.use.uncounted", { count: uncountedFiles })}`
    : text;
}
