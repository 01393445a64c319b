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

/** The built-in guide is no language model. */
export const isConnected = ({ connectionKind }: Model): boolean => connectionKind !== "builtin";

function rankOf(model: Model) {
  const id = model.modelId.toLowerCase();
  const found = family.exec(id);
  const rest = found ? id.slice(found.index + found[0].length) : id;
  return {
    model,
    isKnown: found !== null,
    isLesser: lesser.test(rest),
    version: found ? versionOf(rest) : 0,
    // Names of unknown families say nothing, so the model connected last comes first.
    seenAt: found ? 0 : model.firstSeenAt,
  };
}

/**
 * The initial model: the last one used; else the best connected one, starred ones first and then
 * the newest of the known chat families; else the built-in guide, so that everyone can ask
 * immediately. Null without any model.
 */
export function defaultModel(
  models: readonly Model[],
  lastUsed: ModelRef | null | undefined,
): ModelRef | null {
  if (lastUsed && models.some((model) => isSameModel(model, lastUsed))) return lastUsed;
  const connected = models.filter(isConnected);
  const starred = connected.filter(({ isStarred }) => isStarred);
  const ranked = (starred.length > 0 ? starred : connected).map(rankOf);
  ranked.sort(
    (a, b) =>
      Number(b.isKnown) - Number(a.isKnown) ||
      Number(a.isLesser) - Number(b.isLesser) ||
      b.version - a.version ||
      b.seenAt - a.seenAt ||
      a.model.modelId.length - b.model.modelId.length,
  );
  return ranked[0]?.model ?? models[0] ?? null;
}
