import { usualNanos } from "#domain/money/usual-price.ts";
import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Facts about a model entered by people, which override its service and the snapshot, and a model's
 * usual price, which orders the catalog.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const int = engine === "postgres" ? "bigint" : "integer";
  await execute(db, [
    `alter table model_override add column facts text`,
    `alter table model_override add column facts_by text`,
    `alter table model_override add column facts_at ${int}`,
    `alter table model_override add column usual_nanos ${int}`,
    `alter table model add column usual_nanos ${int}`,
    `alter table model add column facts_source text`,
  ]);
  for (const row of await db
    .selectFrom("model")
    .select(["connection_id", "model_id", "price"])
    .where("price", "is not", null)
    .execute())
    await db
      .updateTable("model")
      .set({ usual_nanos: usualNanos(JSON.parse(row.price ?? "[]")) })
      .where("connection_id", "=", row.connection_id)
      .where("model_id", "=", row.model_id)
      .execute();
  for (const row of await db
    .selectFrom("model_override")
    .select(["connection_id", "model_id", "prices"])
    .where("prices", "is not", null)
    .execute())
    await db
      .updateTable("model_override")
      .set({ usual_nanos: usualNanos(JSON.parse(row.prices ?? "[]")) })
      .where("connection_id", "=", row.connection_id)
      .where("model_id", "=", row.model_id)
      .execute();
  await execute(db, [
    `drop index model_listed`,
    `create index model_listed on model (connection_id, status, name, model_id, facts, context_tokens, price_kind, first_seen_at, usual_nanos)`,
  ]);
}
