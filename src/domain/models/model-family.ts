import { type ModelFamily, modelFamilies } from "#contract/filters/model-families.ts";

const separators = "[^a-z0-9]*";

/** The words of all families in one pattern, with a group for each family. */
const families = Object.entries(modelFamilies) as [ModelFamily, { words: readonly string[] }][];
const anyFamily = new RegExp(
  `(?<![a-z0-9])(?:${families
    .map(([, { words }]) => `(${words.map((word) => word.replaceAll(" ", separators)).join("|")})`)
    .join("|")})(?![a-z])`,
);

/** The family whose word comes first in a model's id, or else in its name; null if none does. */
export function modelFamilyOf({
  modelId,
  name,
}: {
  modelId: string;
  name: string;
}): ModelFamily | null {
  for (const text of [modelId, name]) {
    const groups = anyFamily.exec(text.toLowerCase())?.slice(1);
    const at = groups?.findIndex((group) => group !== undefined) ?? -1;
    if (at >= 0) return families[at]![0];
  }
  return null;
}
