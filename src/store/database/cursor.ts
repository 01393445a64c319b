import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

/**
 * A position in a list, as opaque text: the sort values of the last row shown. Lists never use an
 * offset.
 */
export const toCursor = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString("base64url");

/** @throws Problem invalid_input for text that isn't one of our cursors */
export function fromCursor(
  cursor: string,
  kinds: readonly ("string" | "number")[],
): (string | number)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (
      Array.isArray(values) &&
      values.length === kinds.length &&
      values.every((value, i) => isOfKind(value, kinds[i]))
    )
      return values;
  } catch {
    // Thrown below, as for any other text that isn't a cursor.
  }
  throw new Problem("invalid_input", {
    field: "cursor",
    message: sentences.api.unknownCursor,
  });
}

/**
 * Numbers in a cursor are always integers, and texts never contain characters that PostgreSQL
 * rejects: either would fail in the query.
 */
const isOfKind = (value: unknown, kind: "string" | "number" | undefined): boolean =>
  kind === "number"
    ? Number.isSafeInteger(value)
    : typeof value === kind && cleanText(value as string) === value;

/**
 * Cuts a page from `rows`, which holds one row more than `limit` when there is a next page, and
 * returns its cursor.
 */
export function page<T>(
  rows: T[],
  limit: number,
  key: (row: T) => readonly (string | number)[],
): { rows: T[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > limit && last ? toCursor(key(last)) : null };
}

/**
 * Returns the total count. A first page without a next one is already complete, so that a search
 * with few hits reads each row once, not twice.
 */
export async function countFound(
  { rows, next }: { rows: readonly unknown[]; next: string | null },
  cursor: string | undefined,
  count: () => Promise<{ n: number }>,
): Promise<number> {
  return !cursor && next === null ? rows.length : Number((await count()).n);
}
