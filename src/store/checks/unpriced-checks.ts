import { sql } from "kysely";
import type { Reader } from "../database/store.ts";
import { type OwnedRun, toOwnedRun } from "../runs/run-rows.ts";

/** Finds succeeded runs without a cost that have a price and a usage. */
export async function findUnpricedRuns(db: Reader): Promise<OwnedRun[]> {
  const rows = await db
    .selectFrom("run")
    .selectAll()
    .where("state", "=", sql.lit("succeeded"))
    // Written like the partial index.
    .where(
      sql<boolean>`finished_at is not null and (cost_micros is null or cost_basis = 'assumed')`,
    )
    .where("cost_micros", "is", null)
    .where("imported", "is", null)
    .where("price_snapshot", "is not", null)
    .where("usage", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(toOwnedRun);
}
