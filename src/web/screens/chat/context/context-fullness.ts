import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";

export type ContextUse = RouteOutput<"estimateAnswer">["context"];

/** How full the context is with the next answer: calm, nearly full, or over. */
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

/** The fullness in a sentence, with what is estimated and which files can't be counted. */
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
