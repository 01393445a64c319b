import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Ended runs whose cost is unknown or assumed to be nothing. Usage and budgets count them
 * separately.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `create index run_without_price on run (finished_at)
     where finished_at is not null and (cost_micros is null or cost_basis = 'assumed')`,
  ]);
}
