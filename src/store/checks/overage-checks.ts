import type { RunWarning } from "#contract/entities.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { Reader, Tx } from "../database/store.ts";

/** A run that was settled above what was reserved for it; both amounts in micro-dollars. */
export type Overage = { runId: string; state: string; settledMicros: number; overMicros: number };

const isOverage = ({ type }: RunWarning): boolean => type === "overage";

/** Runs that cost more than was reserved for them and carry no warning of it. */
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

/** Writes a warning into a run that has ended, unless it carries one of its type. */
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
