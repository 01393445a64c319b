import { type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/**
 * SQLite's word index prefixes each word with its project's number, so that a search reads only its
 * project's words. It stores neither the text nor word positions, because a search only asks which
 * rows match. A message's words are in the index only. PostgreSQL combines its index with the
 * project's by itself.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  if (engine === "postgres") return;
  await execute(db, [
    `create table project_fts_row ("row" integer primary key, project_id text not null unique)`,
    `insert into project_fts_row (project_id) select id from project order by id`,
    `create trigger project_fts_insert after insert on project begin insert into project_fts_row (project_id) values (new.id); end`,
    `create trigger project_fts_delete after delete on project begin delete from project_fts_row where project_id = old.id; end`,
  ]);
  for (const table of ["asset", "message"] as const)
    await execute(db, [
      ...["insert", "update", "delete"].map((when) => `drop trigger ${table}_fts_${when}`),
      `drop table ${table}_fts`,
      // Words arrive folded and separated by spaces (domain/text/search-words.ts): every non-ASCII
      // character is part of a word.
      `create virtual table ${table}_fts using fts5(search, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '${prefixes}')`,
      insertWords(table, table, rowsOf[table].stored),
    ]);
  await execute(db, [
    `update message set search = '' where search <> ''`,
    `create trigger asset_fts_insert after insert on asset begin ${insertNew("asset")}; end`,
    `create trigger asset_fts_update after update of search on asset when old.search is not new.search begin ${deleteOld("asset")}; ${insertNew("asset")}; end`,
    `create trigger asset_fts_delete after delete on asset begin ${deleteOld("asset")}; end`,
    `create trigger message_fts_insert after insert on message when new.search <> '' begin ${insertNew("message")}; ${forgetWords}; end`,
    `create trigger message_fts_update after update of search on message when new.search <> '' begin ${deleteOld("message")}; ${insertNew("message")}; ${forgetWords}; end`,
    `create trigger message_fts_delete after delete on message begin ${deleteOld("message")}; end`,
  ]);
}

/**
 * The project's number plus the first one, two and three letters of a word, for fast matches while
 * typing.
 */
const prefixes = "8 9 10";
/** Fixed length, so that no combination of number and word is ambiguous. */
const number = `printf('%07d', project_fts_row."row")`;
const ofConversation = `project_fts_row inner join conversation on conversation.project_id = project_fts_row.project_id`;

/** A table's rows with their project's number: the stored ones, or a trigger's `new` row. */
const rowsOf = {
  asset: {
    stored: `asset inner join project_fts_row on project_fts_row.project_id = asset.project_id where true`,
    new: `project_fts_row where project_fts_row.project_id = new.project_id`,
  },
  message: {
    stored: `${ofConversation} inner join message on message.conversation_id = conversation.id where true`,
    new: `${ofConversation} where conversation.id = new.conversation_id`,
  },
};

const insertWords = (table: string, row: string, rows: string): string =>
  `insert into ${table}_fts (rowid, search) select ${row}."row", ${number} || replace(${row}.search, ' ', ' ' || ${number}) from ${rows} and ${row}.search <> ''`;
const insertNew = (table: keyof typeof rowsOf): string =>
  insertWords(table, "new", rowsOf[table].new);
const deleteOld = (table: string): string => `delete from ${table}_fts where rowid = old."row"`;
const forgetWords = `update message set search = '' where "row" = new."row"`;
