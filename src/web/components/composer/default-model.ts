import type { Model, ModelRef } from "#contract/entities.ts";

export const isSameModel = (
  a: ModelRef | null | undefined,
  b: ModelRef | null | undefined,
): boolean => Boolean(a && b && a.connectionId === b.connectionId && a.modelId === b.modelId);

/** Families of chat models, at any provider. */
const family =
  /(?:^|[/:._\s-])(claude|(?:chat)?gpt|o(?=\d)|gemini|grok|llama|mistral|magistral|ministral|mixtral|qwen|qwq|deepseek|kimi|glm|minimax|command|gemma|phi|nova|nemotron)/;
/** Smaller, older or special models of a family. */
const lesser =
  /mini|nano|lite|flash|haiku|small|tiny|preview|search|audio|codex|coder|guard|vision|\bvl\b|oss|instruct-v0/;

/** "claude-sonnet-4-5-20250929" is 4.5, "qwen3-32b" is 3: dates and sizes aren't versions. */
function versionOf(rest: string): number {
  const [, major, minor] = /(?<!\d)([1-9]\d?)(?![\db])(?:[.-](\d{1,2})(?![\db]))?/.exec(rest) ?? [];
  return major === undefined ? 0 : Number(major) + Number(minor ?? 0) / 100;
}

function rankOf({ modelId }: Model): { version: number; isLesser: boolean } | null {
  const id = modelId.toLowerCase();
  const found = family.exec(id);
  if (!found) return null;
  const rest = id.slice(found.index + found[0].length);
  return { version: versionOf(rest), isLesser: lesser.test(rest) };
}

/**
 * The initial model: the last one used; else the only connected one; else the newest of the known
 * chat families; else the built-in guide, so that everyone can ask immediately. Null without a
 * guide: the person chooses.
 */
export function defaultModel(
  models: readonly Model[],
  lastUsed: ModelRef | null | undefined,
): ModelRef | null {
  if (lastUsed && models.some((model) => isSameModel(model, lastUsed))) return lastUsed;
  const connected = models.filter(({ connectionKind }) => connectionKind !== "builtin");
  if (connected.length === 1) return connected[0]!;
  const ranked = connected.flatMap((model) => {
    const rank = rankOf(model);
    return rank ? [{ model, ...rank }] : [];
  });
  ranked.sort(
    (a, b) =>
      Number(a.isLesser) - Number(b.isLesser) ||
      b.version - a.version ||
      a.model.modelId.length - b.model.modelId.length,
  );
  return (
    ranked[0]?.model ?? models.find(({ connectionKind }) => connectionKind === "builtin") ?? null
  );
}
