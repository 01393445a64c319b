import { createHash, randomUUID } from "node:crypto";
import { open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EpochReason } from "#contract/waiting-reasons.ts";
import type { Store } from "#store/database/store.ts";
import { getPlace, identifyPostgres, setPlace } from "#store/runs/epoch.ts";

/**
 * Where a database is served from, as it is written down in the database itself. A copy says where its original was: that
 * is how it is known for one (docs/decisions/0008-a-copied-database-waits-for-approval.md).
 */
export type Place = {
  /** Of an embedded database: its file's number and time of birth, which no copy of a file keeps both of. */
  file?: { inode: string; bornNs: string | null };
  /** A hash of the operating system's own id of this machine; null where there is none, as in most containers. */
  machine?: string | null;
  /** Changes at each start and stop, there and in a file next to the database: a restored older database does not have it. */
  mark?: string;
  /** Of a PostgreSQL database: its cluster, itself and a table of it. */
  postgres?: string;
};

/** What a database says that was made by `backup`: it was served from nowhere. */
export const noPlace = JSON.stringify({} satisfies Place);

const markFile = (folder: string): string => join(folder, "place.json");

type Moved = Extract<EpochReason, "restore" | "copy">;

export type Arrival = {
  /** What the database is to say from now on. */
  place: string;
  /** Why the database is not where it says that it was, or null where it is. Given null when it never said. */
  whyNew(last: string | null): Moved | null;
  /** Called once the database says it: from then on what it said before is an older copy's. */
  keep(): Promise<void>;
};

/** The place this process serves from now. An embedded database gets a new mark, which its folder knows when this resolves. */
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
  const said = await getPlace(store.db);
  const last = said === null ? undefined : (JSON.parse(said) as Place).mark;
  // Both are in the folder until the database has the new one: in between a process may die.
  await writeMarks(folder, last !== undefined && marks.includes(last) ? [last, mark] : [mark]);
  return {
    place: JSON.stringify(place),
    // A database from before there were places, in a folder that knows one, is an old one that was put back.
    whyNew(text) {
      if (text === null) return marks.length === 0 ? null : "restore";
      const last = JSON.parse(text) as Place;
      if (isSameFile(last, place, marks)) return null;
      // A copied folder knows the mark of its database, and a database alone has no folder that knows others.
      const isOlder = marks.length > 0 && last.mark !== undefined && !marks.includes(last.mark);
      return isOlder || last.file === undefined ? "restore" : "copy";
    },
    keep: () => writeMarks(folder, [mark]),
  };
}

/** Written at a clean stop too: a copy of the running database that is put back later does not know the mark. */
export async function leavePlace(store: Store, folder: string): Promise<void> {
  if (store.engine === "postgres") return;
  const { place, keep } = await findPlace(store, folder);
  await store.write((tx) => setPlace(tx, place));
  await keep();
}

/** Part by part; "?" is what this user may not know. A dump that was put back has another table in the same database. */
function whyNewDatabase(last: string | undefined, now: string): Moved | null {
  if (last === undefined) return "restore";
  const parts = now.split("/");
  const changed = last
    .split("/")
    .map((part, index) => part !== "?" && parts[index] !== "?" && part !== parts[index]);
  if (!changed.includes(true)) return null;
  return changed[0] || changed[1] ? "copy" : "restore";
}

/** In doubt it is another one: then a person is asked, and nothing is paid twice. */
function isSameFile(last: Place, now: Place, marks: readonly string[]): boolean {
  if (!last.file || !now.file || last.file.inode !== now.file.inode) return false;
  if (last.file.bornNs !== null && now.file.bornNs !== null && last.file.bornNs !== now.file.bornNs)
    return false;
  // A folder may be served from a container today and from the machine itself tomorrow: only two that are known can differ.
  if (last.machine && now.machine && last.machine !== now.machine) return false;
  return last.mark !== undefined && marks.includes(last.mark);
}

async function identifyFile(file: string): Promise<Place["file"]> {
  const facts = await stat(file, { bigint: true });
  // A file system without birth times reports 1970 or the last change instead.
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
