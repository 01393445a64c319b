import { sql } from "kysely";
import { limits } from "#contract/limits.ts";
import type { Reader, Store } from "../database/store.ts";

/**
 * Checks of rows against the ledger and against each other: each returns the rows that disagree.
 */

/** Runs `work` on one snapshot of a live database. */
export function inSnapshot<T>(
  store: Pick<Store, "engine" | "read">,
  work: (db: Reader) => Promise<T>,
): Promise<T> {
  const begin = store.read.transaction();
  return (
    store.engine === "postgres"
      ? begin.setIsolationLevel("repeatable read").setAccessMode("read only")
      : begin
  ).execute(work);
}

const isHold = sql`kind in ('hold', 'release')`;

/** Sums each run's ledger entries: amount held, cost, and number of settlements. */
const sumsOfRuns = (db: Reader) =>
  db
    .selectFrom("ledger_entry")
    .select("run_id")
    .select([
      sql<number>`sum(case when ${isHold} then micros else 0 end)`.as("held"),
      sql<number>`sum(case when ${isHold} then 0 else micros end)`.as("spent"),
      sql<number>`count(settlement)`.as("settlements"),
    ])
    .where("run_id", "is not", null)
    .groupBy("run_id")
    .as("books");

export type RunSums = {
  id: string;
  state: string;
  /** The run was refused and is assumed to be free. */
  isAssumedFree: boolean;
  heldMicros: number;
  bookedHeldMicros: number;
  /** Null: unknown, and the booked amount is the known part. */
  costMicros: number | null;
  bookedMicros: number;
  settlements: number;
};

/**
 * Finds runs that disagree with the ledger: in the amount held, in the cost of an ended run or the
 * cost assumed to be zero, by more than one settlement, or by a settlement of a run that hasn't
 * ended.
 */
export async function findWrongRuns(db: Reader): Promise<RunSums[]> {
  const rows = await db
    .selectFrom("run")
    .leftJoin(sumsOfRuns(db), "books.run_id", "run.id")
    .select([
      "run.id",
      "run.state",
      "run.held_micros",
      "run.cost_micros",
      "run.cost_basis",
      "books.held",
      "books.spent",
      "books.settlements",
    ])
    .where((e) =>
      e.or([
        sql<boolean>`run.held_micros <> coalesce(books.held, 0)`,
        // For an unknown cost, the known part is booked: tokens next to a tool without a price, or
        // another model behind an alias.
        sql<boolean>`run.finished_at is not null and case when run.cost_micros is null then coalesce(books.spent, 0) < 0
          else run.cost_micros <> coalesce(books.spent, 0) end`,
        sql<boolean>`run.cost_basis = 'assumed' and coalesce(books.spent, 0) <> 0`,
        sql<boolean>`coalesce(books.settlements, 0) > case when run.finished_at is null then 0 else 1 end`,
      ]),
    )
    .orderBy("run.id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    isAssumedFree: row.cost_basis === "assumed",
    heldMicros: row.held_micros,
    bookedHeldMicros: Number(row.held ?? 0),
    costMicros: row.cost_micros,
    bookedMicros: Number(row.spent ?? 0),
    settlements: Number(row.settlements ?? 0),
  }));
}

/** Finds ledger entries whose run is missing. */
export async function findStrayEntries(
  db: Reader,
): Promise<{ id: string; runId: string | null; micros: number }[]> {
  const rows = await db
    .selectFrom("ledger_entry")
    .leftJoin("run", "run.id", "ledger_entry.run_id")
    .select(["ledger_entry.id", "ledger_entry.run_id", "ledger_entry.micros"])
    .where("ledger_entry.run_id", "is not", null)
    .where("run.id", "is", null)
    .execute();
  return rows.map((row) => ({ id: row.id, runId: row.run_id, micros: row.micros }));
}

export type LostResult = {
  runId: string;
  state: string;
  index: number;
  assetId: string | null;
  sha256: string | null;
};

/**
 * Finds results without an asset: for a succeeded run every result not given up as lost, for any
 * other ended run the stored ones.
 */
export async function findLostResults(db: Reader): Promise<LostResult[]> {
  const rows = await db
    .selectFrom("output")
    .innerJoin("run", "run.id", "output.run_id")
    .leftJoin("asset", "asset.id", "output.asset_id")
    .select(["output.run_id", "output.index", "output.asset_id", "output.sha256", "run.state"])
    .where("run.finished_at", "is not", null)
    .where("asset.id", "is", null)
    .where((e) =>
      e.or([
        e("output.state", "=", "stored"),
        e.and([
          e("run.state", "=", sql.lit("succeeded")),
          e("output.state", "in", ["promised", "fetching"]),
        ]),
      ]),
    )
    .orderBy("output.run_id")
    .orderBy("output.index")
    .execute();
  return rows.map((row) => ({
    runId: row.run_id,
    state: row.state,
    index: row.index,
    assetId: row.asset_id,
    sha256: row.sha256,
  }));
}

/** Lists stored files by hash, one page after a hash. */
export const listBlobs = (
  db: Reader,
  after: string,
  limit: number,
): Promise<{ sha256: string; bytes: number }[]> =>
  db
    .selectFrom("blob")
    .select(["sha256", "bytes"])
    .where("state", "=", "stored")
    .where("sha256", ">", after)
    .orderBy("sha256")
    .limit(limit)
    .execute();

/** Whether a file has its row at this moment. */
export const hasBlob = async (db: Reader, sha256: string): Promise<boolean> =>
  (await db
    .selectFrom("blob")
    .select("sha256")
    .where("sha256", "=", sha256)
    .where("state", "=", "stored")
    .executeTakeFirst()) !== undefined;

/** Lists the assets that show a missing file, for the report. */
export async function assetsOf(
  db: Reader,
  sha256: string,
): Promise<{ id: string; runId: string | null }[]> {
  const rows = await db
    .selectFrom("asset")
    .select(["id", "run_id"])
    .where("blob_sha256", "=", sha256)
    .where("deleted_at", "is", null)
    .limit(5)
    .execute();
  return rows.map((row) => ({ id: row.id, runId: row.run_id }));
}

export type AssetWithoutBlob = {
  id: string;
  sha256: string;
  bytes: number;
  mime: string;
  isDeleting: boolean;
};

/** Assets, trashed ones included, whose file has no row or is being deleted. */
export async function listAssetsWithoutBlob(db: Reader): Promise<AssetWithoutBlob[]> {
  const rows = await db
    .selectFrom("asset")
    .leftJoin("blob", "blob.sha256", "asset.blob_sha256")
    .select(["asset.id", "asset.blob_sha256 as sha256", "asset.bytes", "asset.mime", "blob.state"])
    .where((e) => e.or([e("blob.sha256", "is", null), e("blob.state", "=", "deleting")]))
    .where("asset.deleted_at", "is", null)
    .orderBy("asset.id")
    .execute();
  return rows.map(({ bytes, state, ...row }) => ({
    ...row,
    bytes: Number(bytes),
    isDeleting: state !== null,
  }));
}

/**
 * Finds assets that emptying the trash deleted at a time still in the future, because a server's
 * clock was ahead. Assets that a person deletes directly spend less time in the trash.
 */
export async function findEarlyDeletions(
  db: Reader,
  now: number,
): Promise<{ id: string; trashedAt: number; deletedAt: number }[]> {
  const rows = await db
    .selectFrom("asset")
    .select(["id", "trashed_at", "deleted_at"])
    .where("deleted_at", ">", now)
    .where((e) => e(e("deleted_at", "-", e.ref("trashed_at")), ">=", limits.trashMs))
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    trashedAt: Number(row.trashed_at),
    deletedAt: Number(row.deleted_at),
  }));
}
