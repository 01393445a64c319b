import type { JsonObject } from "#contract/json.ts";

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const assetPrefix = "asset:";

/** The id here of what had another one elsewhere. */
export type Rename = (id: string) => string;

/**
 * Ids for what an import brings: always the same for the same import and id, so that a unit that is done twice writes nothing
 * twice, and never one that the archive could choose. The time and the counter of the old one stay, and with them the order of making.
 * @param hash a hash of a text in hex; it is salted with the import's id, which nobody knows before it begins
 * @param latest ms: what says that it was made later was made then
 */
export function createRename(
  importId: string,
  latest: number,
  hash: (text: string) => string,
): Rename {
  return (id) => {
    const hex = id.replaceAll("-", "");
    const time = Math.min(Number.parseInt(hex.slice(0, 12), 16), latest)
      .toString(16)
      .padStart(12, "0");
    // Version, variant and the counter of UUIDv7 are the next ten; forty bits are new.
    const renamed = `${time}${hex.slice(12, 22)}${hash(`${importId} ${id}`).slice(0, 10)}`;
    return renamed.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
}

/** The same JSON with every id in it renamed, alone or as `asset:<id>`: no part of an archive can name a row of ours. */
export function renameIn<T>(value: T, rename: Rename): T {
  return walk(value, rename) as T;
}

function walk(value: unknown, rename: Rename): unknown {
  if (typeof value === "string") return renameText(value, rename);
  if (Array.isArray(value)) return value.map((item) => walk(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [key, walk(item, rename)]),
  );
}

function renameText(text: string, rename: Rename): string {
  const prefix = text.startsWith(assetPrefix) ? assetPrefix : "";
  const id = text.slice(prefix.length);
  return idPattern.test(id) ? prefix + rename(id) : text;
}

/** Whether following each to the one it names ever comes back: nothing that walks to the root would end. */
export function hasCycle(parents: ReadonlyMap<string, string | null>): boolean {
  const good = new Set<string>();
  for (const start of parents.keys()) {
    const walked = new Set<string>();
    for (
      let id: string | null = start;
      id !== null && !good.has(id);
      id = parents.get(id) ?? null
    ) {
      if (walked.has(id)) return true;
      walked.add(id);
    }
    for (const id of walked) good.add(id);
  }
  return false;
}
