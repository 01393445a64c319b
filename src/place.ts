import { createHash, randomUUID } from "node:crypto";
import { open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EpochReason } from "#contract/waiting-reasons.ts";
import type { Store } from "#store/database/store.ts";
import { getPlace, identifyPostgres, setPlace } from "#store/runs/epoch.ts";

/**
 * The place from which a database is served, stored in the database itself. A copy names its
 * original's place, which identifies it as a copy
 * (docs/decisions/0008-a-copied-database-waits-for-approval.md).
 */
export type Place = {
  /** An embedded database's inode and creation time; no copy of a file keeps both. */
  file?: { inode: string; bornNs: string | null };
  /**
   * A hash of the operating system's id of this machine; null if there is none, as in most
   * containers.
   */
  machine?: string | null;
  /**
   * Changes at each start and stop, here and in a file next to the database; a restored older
   * database doesn't have the current one.
   */
  mark?: string;
  /** A PostgreSQL database's cluster, database and one of its tables. */
  postgres?: string;
};

/** The place in a database made by `backup`: served from nowhere. */
export const noPlace = JSON.stringify({} satisfies Place);

const markFile = (folder: string): string => join(folder, "place.json");

type Moved = Extract<EpochReason, "restore" | "copy">;

export type Arrival = {
  /** The place to store in the database from now on. */
  place: string;
  /**
   * The reason that the database isn't at its stored place, or null if it is. The argument is null
   * if no place was ever stored.
   */
  whyNew(last: string | null): Moved | null;
  /** Called once the place is stored; from then on, the previous place is an older copy's. */
  keep(): Promise<void>;
};

/**
 * The current process's place. An embedded database gets a new mark, which is in its folder when
 * this resolves.
 */
export async function findPlace(store: Store, folder: string): Promise<Arrival> {
  if (store.engine === "postgres") {
    const postgres = await identifyPostgres(store.db);
    return {
      place: JSON.stringify({ postgres } satisfies Place),
      whyNew: (last) =>
        last === null ? null : whyNewDatabase((JSON.parse(last) as Place).postgres, postgres),
      keep: async () => undefined,
    };
  }
  const marks = await readMarks(folder);
  const mark = randomUUID();
  const place: Place = {
    file: await identifyFile(store.file!),
    machine: await identifyMachine(),
    mark,
  };
  const recorded = await getPlace(store.db);
  const last = recorded === null ? undefined : (JSON.parse(recorded) as Place).mark;
  // Both are in the folder until the database has the new one, because the process may die in
  // between.
  await writeMarks(folder, last !== undefined && marks.includes(last) ? [last, mark] : [mark]);
  return {
    place: JSON.stringify(place),
    // A database without a place, in a folder with marks, is an old one that was restored.
    whyNew(text) {
      if (text === null) return marks.length === 0 ? null : "restore";
      const last = JSON.parse(text) as Place;
      if (isSameFile(last, place, marks)) return null;
      // A copied folder has its database's mark, and a copied database alone has no folder with
      // other marks.
      const isOlder = marks.length > 0 && last.mark !== undefined && !marks.includes(last.mark);
      return isOlder || last.file === undefined ? "restore" : "copy";
    },
    keep: () => writeMarks(folder, [mark]),
  };
}

/**
 * Written at a clean stop too, so that a copy of the running database that is restored later lacks
 * the mark.
 */
export async function leavePlace(store: Store, folder: string): Promise<void> {
  if (store.engine === "postgres") return;
  const { place, keep } = await findPlace(store, folder);
  await store.write((tx) => setPlace(tx, place));
  await keep();
}

/**
 * Compares part by part; "?" is a part that this user may not read. A restored dump has another
 * table in the same database.
 */
function whyNewDatabase(last: string | undefined, now: string): Moved | null {
  if (last === undefined) return "restore";
  const parts = now.split("/");
  const changed = last
    .split("/")
    .map((part, index) => part !== "?" && parts[index] !== "?" && part !== parts[index]);
  if (!changed.includes(true)) return null;
  return changed[0] || changed[1] ? "copy" : "restore";
}

/** In doubt it is another one: a person is then asked, and nothing is paid twice. */
function isSameFile(last: Place, now: Place, marks: readonly string[]): boolean {
  if (!last.file || !now.file || last.file.inode !== now.file.inode) return false;
  if (last.file.bornNs !== null && now.file.bornNs !== null && last.file.bornNs !== now.file.bornNs)
    return false;
  // A folder may be served from a container today and from the machine itself tomorrow, so only two
  // known machines can differ.
  if (last.machine && now.machine && last.machine !== now.machine) return false;
  return last.mark !== undefined && marks.includes(last.mark);
}

async function identifyFile(file: string): Promise<Place["file"]> {
  const facts = await stat(file, { bigint: true });
  // File systems without creation times report 1970 or the last change instead.
  const isBirth = facts.birthtimeNs > 0n && facts.birthtimeNs !== facts.ctimeNs;
  return { inode: String(facts.ino), bornNs: isBirth ? String(facts.birthtimeNs) : null };
}

/** Not the host's name, which people change. */
async function identifyMachine(): Promise<string | null> {
  const id = await readFile("/etc/machine-id", "utf8").catch(() => "");
  return /^[0-9a-f]{32}\s*$/.test(id)
    ? createHash("sha256").update(`bottega ${id.trim()}`).digest("hex").slice(0, 32)
    : null;
}

async function readMarks(folder: string): Promise<string[]> {
  try {
    const { marks } = JSON.parse(await readFile(markFile(folder), "utf8")) as { marks: string[] };
    return marks;
  } catch {
    return [];
  }
}

async function writeMarks(folder: string, marks: readonly string[]): Promise<void> {
  const draft = `${markFile(folder)}.draft`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ marks })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, markFile(folder));
}
