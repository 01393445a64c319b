import { sql } from "kysely";
import type { Reader } from "../database/store.ts";

/**
 * A number of files and their size. A file shown by two assets counts twice, as in storage limits.
 */
type StoredSum = { files: number; bytes: number };
type StoredBy = StoredSum & { id: string; name: string };

export type StorageUse = {
  /** Files on the disk or in the bucket: equal files once, without previews. */
  stored: StoredSum;
  /** The largest ones, then the sum of all others under the id "". */
  projects: StoredBy[];
  people: StoredBy[];
  kinds: (StoredSum & { kind: string })[];
  /**
   * By the age of a file: added within `days`, but not within the next lower bound; null is
   * everything older.
   */
  ages: (StoredSum & { days: number | null })[];
  /** Files that emptying every trash would free, because nothing outside of a trash needs them. */
  trash: StoredSum;
  /** Files that nothing needs, which the chores remove. */
  unneeded: StoredSum;
};

const dayMs = 24 * 60 * 60_000;
const ageDays = [7, 30, 90, 365] as const;
const maxShown = 20;

/**
 * Computes sums that each read every file's row once: for 100,000 files a few tenths of a second,
 * on the thread for long reads.
 */
export async function readStorageUse(
  { read: db }: { read: Reader },
  now: number,
): Promise<StorageUse> {
  const stored = await db
    .selectFrom("blob")
    .select(sumsOf("bytes"))
    .where("state", "=", "stored")
    .executeTakeFirst();
  const living = db.selectFrom("asset").where("deleted_at", "is", null);
  const projects = await living
    .innerJoin("project", "project.id", "asset.project_id")
    .select(["project.id", "project.name"])
    .select(sumsOf("asset.bytes"))
    .groupBy(["project.id", "project.name"])
    .orderBy("bytes", "desc")
    .orderBy("project.id")
    .execute();
  const people = await living
    .leftJoin("user", "user.id", "asset.created_by")
    .select(["asset.created_by as id", "user.name"])
    .select(sumsOf("asset.bytes"))
    .groupBy(["asset.created_by", "user.name"])
    .orderBy("bytes", "desc")
    .orderBy("asset.created_by")
    .execute();
  const kinds = await living
    .select("kind")
    .select(sumsOf("bytes"))
    .groupBy("kind")
    .orderBy("bytes", "desc")
    .orderBy("kind")
    .execute();
  const age = sql<number>`case ${sql.join(
    ageDays.map((days) => sql`when created_at >= ${now - days * dayMs} then ${sql.lit(days)}`),
    sql` `,
  )} else 0 end`;
  const ages = await living
    .select(age.as("days"))
    .select(sumsOf("bytes"))
    .groupBy("days")
    .execute();
  const trash = await db
    .selectFrom(
      living
        .select(["blob_sha256", "bytes"])
        .distinct()
        .where("trashed_at", "is not", null)
        .as("trashed"),
    )
    .select(sumsOf("bytes"))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("asset as other")
            .select("other.id")
            .whereRef("other.blob_sha256", "=", "trashed.blob_sha256")
            .where("other.trashed_at", "is", null)
            .where("other.deleted_at", "is", null),
        ),
      ),
    )
    .executeTakeFirst();
  const unneeded = await db
    .selectFrom("blob")
    .select(sumsOf("bytes"))
    .where("needed_at", "is", null)
    .where("state", "=", "stored")
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("asset")
            .select("asset.id")
            .whereRef("asset.blob_sha256", "=", "blob.sha256")
            .where("asset.deleted_at", "is", null),
        ),
      ),
    )
    .executeTakeFirst();
  return {
    stored: toSum(stored),
    projects: largest(projects),
    people: largest(people),
    kinds: kinds.map((row) => ({ kind: row.kind, ...toSum(row) })),
    ages: [...ageDays, null].map((days) => ({
      days,
      ...toSum(ages.find((row) => Number(row.days) === (days ?? 0))),
    })),
    trash: toSum(trash),
    unneeded: toSum(unneeded),
  };
}

type Summed = { files: number | string; bytes: number | string | null };

const sumsOf = (column: string) => [
  sql<number | string>`count(*)`.as("files"),
  sql<number | string | null>`sum(${sql.ref(column)})`.as("bytes"),
];

const toSum = (row: Summed | undefined): StoredSum => ({
  files: Number(row?.files ?? 0),
  bytes: Number(row?.bytes ?? 0),
});

function largest(rows: readonly (Summed & { id: string; name: string | null })[]): StoredBy[] {
  const shown = rows.map((row) => ({ id: row.id, name: row.name ?? "", ...toSum(row) }));
  const rest = shown.splice(maxShown);
  if (rest.length === 0) return shown;
  const sum = (key: "files" | "bytes") => rest.reduce((total, row) => total + row[key], 0);
  return [...shown, { id: "", name: "", files: sum("files"), bytes: sum("bytes") }];
}

/** Returns the size of the database itself in bytes. */
export async function databaseBytes({
  read,
  engine,
}: {
  read: Reader;
  engine: "sqlite" | "postgres";
}): Promise<number> {
  const { rows } = await (engine === "sqlite"
    ? sql<{
        bytes: number | string;
      }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
    : sql<{ bytes: number | string }>`select pg_database_size(current_database()) as bytes`
  ).execute(read);
  return Number(rows[0]?.bytes ?? 0);
}
