import { setTimeout as wait } from "node:timers/promises";
import type { Settings } from "#server/settings.ts";
import { inSnapshot } from "#store/checks/checks.ts";
import { findStuck } from "#store/checks/stuck-checks.ts";
import { appliedMigrations, migrationNames, StartError } from "#store/database/migrate.ts";
import type { Reader, Store } from "#store/database/store.ts";
import { clock, openMender, openReader } from "../open.ts";
import { booksChecks } from "./check-books.ts";
import {
  findAssetsWithoutRow,
  findLostFiles,
  findOwner,
  findResultsWithoutAsset,
  findStrayFiles,
  mendAssetsFile,
  removeStrayFile,
} from "./check-files.ts";
import { findLostKeys } from "./check-keys.ts";
import type { Check, Finding } from "./finding.ts";
import { openFiles } from "./open-files.ts";

type Report = { check: Check; what: string; findings: Finding[]; note?: string };

/** A run whose server has just died is taken over within 15 s and isn't stuck. */
const secondLookMs = 20_000;

/**
 * Checks the ledger, the rows and the files against each other while the server works. With --mend
 * it repairs what can be recomputed; with --remove-strays it deletes files that no row names, if
 * this database owns the files. Without either it writes nothing.
 * @returns 0 if no problem is left, 1 otherwise
 */
export async function doctor(
  settings: Settings,
  options: { deep: boolean; mend: boolean; removeStrays: boolean; json: boolean },
  say: (line: string) => void,
): Promise<number> {
  const store = options.mend || options.removeStrays ? await openMender(settings) : undefined;
  const reader = store ?? (await openReader(settings));
  try {
    const applied = await appliedMigrations(reader);
    if (applied.join() !== migrationNames.join())
      throw new StartError(
        `This database has the schema "${applied.at(-1) ?? "none"}", and this program "${migrationNames.at(-1)}". Use the program that serves it.`,
      );
    const reports = await lookAtAll(settings, reader, options.deep);
    if (store)
      for (const { findings } of reports)
        for (const finding of findings) finding.mended = await mend(store, finding, options);
    const left = reports.flatMap(({ findings }) => findings).filter(({ mended }) => !mended).length;
    if (options.json)
      say(JSON.stringify({ clean: left === 0, checks: reports.map(withoutKeys) }, null, 2));
    else show(reports, left, say);
    return left === 0 ? 0 : 1;
  } finally {
    await reader.close();
  }
}

async function lookAtAll(
  settings: Settings,
  reader: Pick<Store, "engine" | "read">,
  deep: boolean,
): Promise<Report[]> {
  const books = await inSnapshot(reader, async (db) => {
    const reports: Report[] = [];
    for (const { name, what, find } of booksChecks)
      reports.push({ check: name, what, findings: await find(db) });
    return reports;
  });
  const { storage, files } = await openFiles(settings, reader.read);
  const { isOwner, ...owner } = await findOwner(storage, reader.read);
  const what = deep
    ? "Every stored file is there, and its bytes have its hash"
    : "Every stored file is there, in its size";
  return [
    ...books,
    { check: "owner", what: "This database owns the files", ...owner },
    {
      check: "keys",
      what: "Every stored secret has its version of the master key here",
      ...(await findLostKeys(settings, reader)),
    },
    {
      check: "results",
      what: "Every result of a run is in the library",
      findings: await findResultsWithoutAsset(files, reader.read),
    },
    {
      check: "assets",
      what: "Every asset has its file's row",
      findings: await findAssetsWithoutRow(files, reader.read),
    },
    { check: "files", what, findings: await findLostFiles(files, reader.read, deep) },
    // In another database's storage, most files belong to it.
    {
      check: "strays",
      what: "Every file has its row",
      findings: isOwner ? await findStrayFiles(storage.blobs, reader.read) : [],
    },
    { check: "stuck", what: "No run is stuck", findings: await findStuckTwice(reader.read) },
  ];
}

async function findStuckTwice(db: Reader): Promise<Finding[]> {
  const first = await findStuck(db, clock.now());
  if (first.length === 0) return [];
  await wait(secondLookMs);
  const still = new Set(
    (await findStuck(db, clock.now())).map(({ runId, why }) => `${runId} ${why}`),
  );
  return first.flatMap(({ runId, state, why }) =>
    still.has(`${runId} ${why}`)
      ? [{ check: "stuck", subject: `run ${runId} (${state})`, text: why }]
      : [],
  );
}

async function mend(
  store: Store,
  finding: Finding,
  ask: { mend: boolean; removeStrays: boolean },
): Promise<string | undefined> {
  if (finding.check === "strays")
    return ask.removeStrays ? removeStrayFile(store, finding) : undefined;
  if (!ask.mend) return undefined;
  if (finding.check === "assets") return mendAssetsFile(store, finding);
  return booksChecks.find(({ name }) => name === finding.check)?.mend?.(store, finding);
}

const withoutKeys = ({ findings, ...report }: Report) => ({
  ...report,
  findings: findings.map(({ key: _, ...finding }) => finding),
});

const maxShown = 50;
const count = (problems: number): string =>
  `${problems} ${problems === 1 ? "problem" : "problems"}`;

function show(reports: readonly Report[], left: number, say: (line: string) => void): void {
  for (const { what, findings, note } of reports) {
    say(
      `${findings.length === 0 ? "ok   " : "FOUND"}  ${what}${findings.length === 0 ? "." : `: ${count(findings.length)}.`}${note ? ` ${note}` : ""}`,
    );
    for (const { subject, text, mended } of findings.slice(0, maxShown))
      say(`         ${subject}: ${text}${mended ? `. Repaired: ${mended}` : ""}.`);
    if (findings.length > maxShown)
      say(`         ${findings.length - maxShown} more; --json lists all.`);
  }
  say(
    left === 0
      ? "No problems found."
      : `${count(left)} left. Only what says “Repaired” was changed. --mend repairs what can be recomputed, --remove-strays deletes files that no row names.`,
  );
}
