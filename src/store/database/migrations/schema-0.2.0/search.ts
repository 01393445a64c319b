import type { ColumnType, Engine } from "../ddl.ts";

/** FTS5 refers to its table by rowid, which only an integer key keeps through a VACUUM. */
export const rowColumn = (engine: Engine): Record<string, ColumnType> =>
  engine === "sqlite" ? { row: "int" } : {};
export const rowKey = (engine: Engine): string[] =>
  engine === "sqlite" ? ["primary key (row)", "unique (id)"] : ["primary key (id)"];

/** Indexes the words of `search`: an FTS5 table, or a GIN index over the same words. */
export function searchIndex(engine: Engine, table: "asset" | "message"): string[] {
  if (engine === "postgres") return [ginIndex(table)];
  return [
    `create virtual table ${table}_fts using fts5(search, id unindexed, tokenize = 'unicode61', prefix = '2 3')`,
    `create trigger ${table}_fts_insert after insert on ${table} begin insert into ${table}_fts (rowid, search, id) values (new.rowid, new.search, new.id); end`,
    `create trigger ${table}_fts_update after update of search on ${table} when old.search is not new.search begin update ${table}_fts set search = new.search where rowid = old.rowid; end`,
    `create trigger ${table}_fts_delete after delete on ${table} begin delete from ${table}_fts where rowid = old.rowid; end`,
  ];
}

/**
 * Like `searchIndex`, for models, whose key is two texts: `model_fts_row` assigns each the integer
 * that FTS5 needs.
 */
export function modelSearchIndex(engine: Engine): string[] {
  if (engine === "postgres") return [ginIndex("model")];
  return [
    `create table model_fts_row ("row" integer primary key, connection_id text not null, model_id text not null, unique (connection_id, model_id))`,
    `create virtual table model_fts using fts5(search, tokenize = 'unicode61', prefix = '2 3')`,
    `create trigger model_fts_insert after insert on model begin ${insertRow} values (new.connection_id, new.model_id); ${insertWords} select "row", new.search from model_fts_row where connection_id = new.connection_id and model_id = new.model_id; end`,
    `create trigger model_fts_update after update of search on model when old.search is not new.search begin update model_fts set search = new.search where rowid = ${row}; end`,
    `create trigger model_fts_delete after delete on model begin delete from model_fts where rowid = ${row}; delete from model_fts_row where connection_id = old.connection_id and model_id = old.model_id; end`,
  ];
}

const row = `(select "row" from model_fts_row where connection_id = old.connection_id and model_id = old.model_id)`;
const insertRow = `insert into model_fts_row (connection_id, model_id)`;
const insertWords = `insert into model_fts (rowid, search)`;

const ginIndex = (table: string): string =>
  `create index ${table}_search on ${table} using gin (to_tsvector('simple', search))`;
