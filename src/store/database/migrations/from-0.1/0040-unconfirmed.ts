import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Renames the run state `unknown` to `unconfirmed`, in rows and in stored events. JSON escapes
 * quotes inside strings, so the pattern matches only the payload's own first field.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `drop index run_open`,
    `drop index run_unknown`,
    `update run set state = 'unconfirmed' where state = 'unknown'`,
    `update run_event set payload = replace(payload, '{"state":"unknown"', '{"state":"unconfirmed"')
       where type = 'run-settled' and payload like '{"state":"unknown"%'`,
    `create index run_open on run (project_id, id desc)
       where state in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unconfirmed')`,
    `create index run_unconfirmed on run (id) where state = 'unconfirmed'`,
  ]);
}
