import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * This database's ownership mark in the file storage, and the prefix it writes to while another
 * database owns the files.
 */
export async function up(db: MigrationDatabase, _engine: Engine): Promise<void> {
  await execute(db, [
    `alter table instance add column files_nonce text`,
    `alter table instance add column files_next text`,
    `alter table instance add column files_prefixes text not null default '[]'`,
  ]);
}
