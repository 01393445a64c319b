import { sql } from "kysely";
import { factsText, priceKindOf } from "#domain/models/model-facts.ts";
import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Stars, and the search and filter text of models, kept apart from the wide columns so that ten
 * thousand rows scan fast.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "model_star",
    { user_id: "text", connection_id: "text", model_id: "text", created_at: "int" },
    [
      "primary key (user_id, connection_id, model_id)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
  );
  const int = engine === "postgres" ? "bigint" : "integer";
  await execute(db, [
    `create index model_star_connection on model_star (connection_id)`,
    `alter table model add column facts text not null default ''`,
    `alter table model add column context_tokens ${int}`,
    `alter table model add column price_kind text not null default 'unknown'`,
    `alter table model add column first_seen_at ${int} not null default 0`,
    `alter table model_override add column price_kind text`,
  ]);
  await fillIn(db);
  await execute(db, [
    `create index model_listed on model (connection_id, status, name, model_id, facts, context_tokens, price_kind, first_seen_at)`,
    `create index run_model on run (project_id, connection_id, model_id, id desc)`,
    ...searchIndex(engine),
  ]);
}

/**
 * Nobody recorded when existing models were first seen, so they get the date of their connection.
 */
async function fillIn(db: MigrationDatabase): Promise<void> {
  await sql`update model set first_seen_at = (select created_at from connection where connection.id = model.connection_id)`.execute(
    db,
  );
  const columns = [
    "tasks",
    "input_modalities",
    "output_modalities",
    "capabilities",
    "limits",
    "price",
  ] as const;
  for (const row of await db
    .selectFrom("model")
    .select(["connection_id", "model_id", ...columns])
    .execute()) {
    const facts = {
      tasks: JSON.parse(row.tasks),
      inputModalities: JSON.parse(row.input_modalities),
      outputModalities: JSON.parse(row.output_modalities),
      capabilities: JSON.parse(row.capabilities),
    };
    const contextTokens: unknown = JSON.parse(row.limits).contextTokens;
    await db
      .updateTable("model")
      .set({
        facts: factsText(facts),
        context_tokens: Number.isSafeInteger(contextTokens) ? contextTokens : null,
        price_kind: priceKindOf(row.price === null ? [] : JSON.parse(row.price)),
      })
      .where("connection_id", "=", row.connection_id)
      .where("model_id", "=", row.model_id)
      .execute();
  }
  for (const row of await db
    .selectFrom("model_override")
    .select(["connection_id", "model_id", "prices"])
    .execute())
    await db
      .updateTable("model_override")
      .set({ price_kind: row.prices === null ? null : priceKindOf(JSON.parse(row.prices)) })
      .where("connection_id", "=", row.connection_id)
      .where("model_id", "=", row.model_id)
      .execute();
}

/**
 * Like the index of assets and messages, plus a table that assigns integer keys: a model has none,
 * and FTS5 needs one that a VACUUM keeps.
 */
function searchIndex(engine: Engine): string[] {
  if (engine === "postgres")
    return [`create index model_search on model using gin (to_tsvector('simple', search))`];
  const row = `(select "row" from model_fts_row where connection_id = old.connection_id and model_id = old.model_id)`;
  const insertRow = `insert into model_fts_row (connection_id, model_id)`;
  const insertWords = `insert into model_fts (rowid, search)`;
  return [
    `create table model_fts_row ("row" integer primary key, connection_id text not null, model_id text not null, unique (connection_id, model_id))`,
    `create virtual table model_fts using fts5(search, tokenize = 'unicode61', prefix = '2 3')`,
    `${insertRow} select connection_id, model_id from model`,
    `${insertWords} select "row", search from model inner join model_fts_row using (connection_id, model_id)`,
    `create trigger model_fts_insert after insert on model begin ${insertRow} values (new.connection_id, new.model_id); ${insertWords} select "row", new.search from model_fts_row where connection_id = new.connection_id and model_id = new.model_id; end`,
    `create trigger model_fts_update after update of search on model when old.search is not new.search begin update model_fts set search = new.search where rowid = ${row}; end`,
    `create trigger model_fts_delete after delete on model begin delete from model_fts where rowid = ${row}; delete from model_fts_row where connection_id = old.connection_id and model_id = old.model_id; end`,
  ];
}
