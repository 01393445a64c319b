import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** Runs that ended and whose cost is unknown, or assumed to be nothing: usage and budgets count them apart. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `create index run_without_price on run (finished_at)
     where finished_at is not null and (cost_micros is null or cost_basis = 'assumed')`,
  ]);
}
