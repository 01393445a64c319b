import { rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { passingTables } from "./table-list.ts";

/**
 * Copies all pages in one step and one snapshot. In several steps, each commit of the server would
 * restart the copy.
 */
const allPages = 2 ** 31 - 1;

/** The message is a sentence for the person who requested the copy. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}

/**
 * Copies a live database into one file. Neither the copy nor the server waits for the other. The
 * copy is checked, marked as not served from anywhere (`place`), and contains neither sessions nor
 * free pages with deleted data.
 * @throws CopyError when the database is damaged
 */
export async function copySqlite(file: string, target: string, place: string): Promise<void> {
  const draft = `${target}.draft`;
  rmSync(draft, { force: true });
  rmSync(target, { force: true });
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    await backup(source, draft, { rate: allPages });
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(draft);
  try {
    copy.exec("pragma journal_mode = delete; pragma synchronous = off");
    const [check] = copy.prepare("pragma quick_check(1)").all() as { quick_check: string }[];
    if (check?.quick_check !== "ok")
      throw new CopyError(`The database is damaged: ${check?.quick_check}.`);
    for (const table of passingTables) copy.exec(`delete from "${table}"`);
    copy.prepare("update instance set place = ?").run(place);
    copy.exec("pragma auto_vacuum = incremental");
    copy.prepare("vacuum into ?").run(target);
  } finally {
    copy.close();
    rmSync(draft, { force: true });
  }
}

/** Removes secrets sealed with a lost master key, in a database that no server uses. */
export const withoutSealed = [
  "update connection set secret = null, status = 'unchecked' where secret is not null",
  "delete from connection_grant",
  "delete from webhook_endpoint",
  "update instance set master_key_check = null",
];
