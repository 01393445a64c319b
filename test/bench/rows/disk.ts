import { statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { request } from "undici";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import { listPrunable, pruneRuns } from "#store/runs/ended-runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import type { Bench } from "../bench.ts";
import { atMost, beside, type Figure, type Row, round } from "../figures.ts";
import { askOverSocket } from "../streams.ts";
import { openStudio, type Studio } from "../studio.ts";

const characters = 100_000;
const chunkCharacters = 100;
const answers = 20;
const maxKept = 1.6;
/** The space that the file keeps for its next rows (store/database/sqlite.ts), with some margin. */
const freeMostMb = 4.2;
const vocabulary = 5_000;
const pruneAtOnce = 50;
const eventsAtOnce = 500;

/** The words of a language, common ones more often; the same in every bench. */
function* words(): Generator<string> {
  for (let seed = 1; ; seed = (seed * 48_271) % 2_147_483_647)
    yield `w${Math.floor((seed / 2_147_483_647) ** 3 * vocabulary).toString(36)}ing `;
}

function textOf(source: Generator<string>): string {
  let text = "";
  while (text.length < characters) text += source.next().value;
  return text.slice(0, characters);
}

async function ask(studio: Studio, text: string): Promise<void> {
  const chunks = Array.from({ length: characters / chunkCharacters }, (_, i) =>
    text.slice(i * chunkCharacters, (i + 1) * chunkCharacters),
  );
  await request(new URL("/_control/script", studio.providerUrl), {
    method: "POST",
    body: JSON.stringify({ text: chunks }),
  });
  const overSocket = await askOverSocket(studio);
  const answer = await overSocket();
  if (answer.characters !== characters)
    throw new Error(`an answer has ${answer.characters} characters`);
}

/** The bytes of rows, and of free pages. */
async function sizeOf(store: Store): Promise<{ used: number; free: number }> {
  const pragma = async (name: string): Promise<number> =>
    Object.values(
      (await sql.raw<Record<string, number>>(`pragma ${name}`).execute(store.db)).rows[0]!,
    )[0]!;
  const page = await pragma("page_size");
  const free = (await pragma("freelist_count")) * page;
  return { used: (await pragma("page_count")) * page - free, free };
}

/** Runs the chores that are due an hour after a run's end. */
async function prune(store: Store): Promise<void> {
  const at = Date.now() + 24 * 60 * 60_000;
  for (;;) {
    const ids = await listPrunable(store.read, at, pruneAtOnce);
    if (ids.length === 0) break;
    while (await store.write((tx) => pruneRuns(newUnit(tx, at), ids, eventsAtOnce)));
  }
  while (await store.releaseSpace());
}

async function measure(bench: Bench): Promise<Figure[]> {
  let before = 0;
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    conversationsEach: 2,
    seed: async (store) => {
      before = (await sizeOf(store)).used;
    },
  });
  try {
    const source = words();
    for (let i = 0; i < answers; i++) await ask(studio, textOf(source));
    await studio.stop();
    const file = join(studio.dataFolder, "bottega.db");
    const store = openSqlite(file, { monotonic: () => performance.now() });
    const answered = await sizeOf(store);
    await prune(store);
    const pruned = await sizeOf(store);
    await store.close();
    const each = (bytes: number): string => `${round((bytes - before) / answers / 1_000)} KB`;
    return [
      atMost(
        "disk that an answer of 100 KB takes, of its bytes",
        (pruned.used - before) / answers / characters,
        maxKept,
        "",
        `${each(pruned.used)}; ${each(answered.used)} in its first hour`,
      ),
      atMost("  pages that are free after pruning", pruned.free / 1e6, freeMostMb, "MB"),
      beside("  the file then", `${round(statSync(file).size / 1e6)} MB`),
    ];
  } finally {
    await studio.stop();
  }
}

export const disk: Row<Bench> = {
  name: "disk",
  what: "disk that an answer of 100 KB takes, and that pruning frees",
  measure,
};
