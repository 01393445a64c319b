import type { JsonObject } from "#contract/json.ts";

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const assetPrefix = "asset:";

/** Maps an id of another instance to its id here. */
export type Rename = (id: string) => string;

/**
 * Creates ids for imported rows. The same import and id always give the same result, so that
 * repeating a unit writes nothing twice, and the archive can't choose an id. The old id's time and
 * counter stay, which preserves the order of creation.
 * @param hash a hex hash of a text, which is salted with the import's id, unknown before the import
 *   begins
 * @param latest in ms; later times are set to it
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
    // The next ten digits are UUIDv7's version, variant and counter; the last forty bits are new.
    const renamed = `${time}${hex.slice(12, 22)}${hash(`${importId} ${id}`).slice(0, 10)}`;
    return renamed.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
}

/**
 * Renames every id in JSON, alone or as `asset:<id>`, so that no part of an archive can refer to an
 * existing row.
 */
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

/** Whether following the parents ever loops, which would make every walk to the root endless. */
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
