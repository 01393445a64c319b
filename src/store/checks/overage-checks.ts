import type { RunWarning } from "#contract/entities.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { Reader, Tx } from "../database/store.ts";

/** A run settled above its reservation. Both amounts are in micro-dollars. */
export type Overage = { runId: string; state: string; settledMicros: number; overMicros: number };

const isOverage = ({ type }: RunWarning): boolean => type === "overage";

/** Finds runs that cost more than their reservation and have no warning about it. */
export async function findUnwarnedOverages(db: Reader): Promise<Overage[]> {
  const rows = await db
    .selectFrom("ledger_entry as over")
    .innerJoin("run", "run.id", "over.run_id")
    .innerJoin("ledger_entry as spend", (join) =>
      join.onRef("spend.run_id", "=", "run.id").on("spend.kind", "=", "spend"),
    )
    .select(["run.id", "run.state", "run.warnings", "over.micros as over", "spend.micros as spent"])
    .where("over.kind", "=", "overage")
    .orderBy("run.id")
    .execute();
  return rows
    .filter(({ warnings }) => !fromJson<RunWarning[]>(warnings).some(isOverage))
    .map(({ id, state, over, spent }) => ({
      runId: id,
      state,
      settledMicros: over + spent,
      overMicros: over,
    }));
}

/** Adds a warning to an ended run, unless it has one of the same type. */
export async function addWarning(tx: Tx, runId: string, warning: RunWarning): Promise<void> {
  const row = await tx
    .selectFrom("run")
    .select("warnings")
    .where("id", "=", runId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return;
  const warnings = fromJson<RunWarning[]>(row.warnings);
  if (warnings.some(({ type }) => type === warning.type)) return;
  await tx
    .updateTable("run")
    .set({ warnings: toJson([...warnings, warning]) })
    .where("id", "=", runId)
    .execute();
}
