import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * When a model was added, apart from when it was first seen: on the day of connecting every model
 * is first seen, and none of them is new.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const int = engine === "postgres" ? "bigint" : "integer";
  await execute(db, [
    `alter table connection add column listed_at ${int}`,
    `alter table model add column came_at ${int}`,
    `update connection set listed_at = (select min(first_seen_at) from model where model.connection_id = connection.id) where kind <> 'alias'`,
    `update model set came_at = first_seen_at where first_seen_at > (select listed_at from connection where connection.id = model.connection_id)`,
    `drop index model_listed`,
    `create index model_listed on model (connection_id, status, name, model_id, facts, context_tokens, price_kind, came_at, usual_nanos)`,
  ]);
}
