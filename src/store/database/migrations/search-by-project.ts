import { type Engine, execute, type MigrationDatabase } from "./ddl.ts";

/**
 * SQLite's index of words begins each word with its project's number, so that a search reads the words of its project alone. It has
 * no copy of the text and no places of words: a search asks only which rows have them. The words of a message are in the index alone.
 * PostgreSQL joins its index with the project's by itself.
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
      // Words come folded, with spaces between (domain/text/search-words.ts): whatever is not ASCII belongs to one.
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

/** The first one, two and three letters of a word behind its project's number: found at once as somebody types. */
const prefixes = "8 9 10";
/** Of fixed length, so that no number and word look like another number and word. */
const number = `printf('%07d', project_fts_row."row")`;
const ofConversation = `project_fts_row inner join conversation on conversation.project_id = project_fts_row.project_id`;

/** The rows of a table with the number of their project: those that are stored, or the `new` one of a trigger. */
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
