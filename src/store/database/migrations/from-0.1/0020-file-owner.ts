import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** Which mark in the file storage is this database's, and where it writes while another database owns the files. */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `alter table instance add column files_nonce text`,
    `alter table instance add column files_next text`,
    `alter table instance add column files_prefixes text not null default '[]'`,
  ]);
}
