import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { Reader, Searchable } from "../database/store.ts";
import { type LibraryColumns, type LibraryRow, toColumns } from "./library-columns.ts";

/** What is read of an asset for its library's columns. */
export const libraryColumns = [
  "id",
  "visibility",
  "created_by",
  "connection_id",
  "model_id",
  "kind",
  "pick",
  "upload_id",
  "trashed_at",
  "width",
  "height",
  "created_at",
] as const;

/** So many rows in one piece: a server with PostgreSQL does other work between them. */
const libraryRowsAtOnce = 5_000;

/** All assets of a project, whoever sees them. */
export async function readLibrary(
  { read }: Pick<Searchable, "read">,
  projectId: string,
): Promise<LibraryColumns> {
  const rows: LibraryRow[] = [];
  for (const operator of ["is", "is not"] as const)
    for (let after: string | undefined; ; after = rows.at(-1)?.id) {
      let query = read
        .selectFrom("asset")
        .select(libraryColumns)
        .where("project_id", "=", projectId)
        .where("deleted_at", "is", null)
        .where("trashed_at", operator, null);
      if (after !== undefined) query = query.where("id", "<", after);
      const some = await query.orderBy("id", "desc").limit(libraryRowsAtOnce).execute();
      rows.push(...some);
      if (some.length < libraryRowsAtOnce) break;
    }
  // Read a piece at a time, an asset may have gone into the trash meanwhile and be there twice.
  return toColumns([...new Map(rows.map((row) => [row.id, row])).values()]);
}

/** Those of these assets that exist, whoever sees them. */
export const readLibraryRows = (db: Reader, ids: readonly string[]): Promise<LibraryRow[]> =>
  db
    .selectFrom("asset")
    .select(libraryColumns)
    .where(isOneOf(db, "id", toJson(ids)))
    .where("deleted_at", "is", null)
    .execute();
