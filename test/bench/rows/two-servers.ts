import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../../support/databases/postgres.ts";
import type { Bench } from "../bench.ts";
import {
  atMost,
  beside,
  type Figure,
  notMeasured,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { startRelay } from "../provider.ts";
import { type BenchServer, startBuiltServer } from "../server.ts";
import { createSession } from "../session.ts";
import { askOpenAi, askOverSocket } from "../streams.ts";
import { openStudio, type Studio } from "../studio.ts";

const atOnce = 24;
const provider = { tokens: 50, firstTokenMs: 20, betweenMs: 20, stamped: true };
const what = "two servers on PostgreSQL: a word's delay above a bare relay's, run by the other";
const boundMs = 120;
const bound = `≤ ${boundMs} ms`;
/** All are streaming by then, and none has ended. */
const midstreamMs = 600;
const idleMs = 20_000;
/** The servers finish their start and their first checks meanwhile. */
const settleMs = 12_000;

/**
 * The servers' PostgreSQL activity so far. `commits` are units of work; `transactions` include
 * reads outside of them.
 */
type Work = { statements: number; commits: number; transactions: number; notices: number };

/** A pair of servers, and connections that measure their database. */
type Pair = { studio: Studio; other: BenchServer; counter: pg.Client; database: pg.Client };

async function measure(bench: Bench): Promise<Figure[]> {
  const cluster = await startPostgres(["shared_preload_libraries=pg_stat_statements"]).catch(
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (typeof cluster === "string") return [notMeasured(what, bound, cluster)];
  bench.onEnd(cluster.stop);
  const databaseUrl = await cluster.createDatabase();
  // The counter uses a separate database, so that its own queries aren't counted.
  const [counter, database] = await Promise.all([
    openClient(cluster.url("postgres")),
    openClient(databaseUrl),
  ]);
  await counter.query("create extension pg_stat_statements");
  const studio = await openStudio(bench, { provider, databaseUrl, conversationsEach: 40 });
  const other = await startBuiltServer(bench.cores, { dataFolder: studio.dataFolder, databaseUrl });
  try {
    return await measurePair(bench, { studio, other, counter, database });
  } finally {
    await other.stop();
    await studio.stop();
    await Promise.all([counter.end(), database.end()]);
  }
}

async function openRelay(bench: Bench, { providerUrl, session, model }: Studio) {
  const relay = await startRelay(bench.cores, providerUrl);
  bench.onEnd(relay.stop);
  return { agent: session.agent, url: relay.url, model: model.modelId };
}

async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function measurePair(bench: Bench, pair: Pair): Promise<Figure[]> {
  const { studio, other } = pair;
  const work = () => workOf(pair);
  await sleep(settleMs);
  const quiet = await work();
  await sleep(idleMs);
  const idle = perUnit(quiet, await work(), (2 * idleMs) / 1_000);
  const tabs = await Promise.all(
    Array.from({ length: atOnce }, (_, i) => openTab(studio, [studio.server, other][i % 2]!)),
  );
  const relayDoor = await openRelay(bench, studio);
  const rounds = bench.long ? 30 : 10;
  const delays = { here: [] as number[], elsewhere: [] as number[], relay: [] as number[] };
  await Promise.all(tabs.map((tab) => tab.ask()));
  const before = await work();
  for (let round = 0; round < rounds; round++) {
    const asking = Promise.all(tabs.map((tab) => tab.ask()));
    const owners = await sleep(midstreamMs).then(() => ownersOf(pair));
    for (const { runId, server, delaysMs } of await asking)
      delays[owners.get(runId) === server ? "here" : "elsewhere"].push(...delaysMs);
  }
  const each = perUnit(before, await work(), rounds * atOnce);
  const asks = tabs.map(() => askOpenAi(relayDoor));
  for (let round = 0; round < rounds; round++)
    for (const { delaysMs } of await Promise.all(asks.map((ask) => ask())))
      delays.relay.push(...delaysMs);
  await Promise.all(tabs.map((tab) => tab.close()));
  return figuresOf(delays, each, idle);
}

function figuresOf(
  delays: Record<"here" | "elsewhere" | "relay", number[]>,
  each: Work,
  idle: Work,
): Figure[] {
  const relay = percentile(delays.relay, 0.5);
  const p50 = (samples: readonly number[]) => percentile(samples, 0.5) - relay;
  const spread = (samples: readonly number[]) =>
    `p99 ${round(percentile(samples, 0.99))} ms of ${samples.length} chunks`;
  return [
    {
      ...atMost(what, p50(delays.elsewhere), boundMs, "ms", `at p50; ${spread(delays.elsewhere)}`),
      bound,
    },
    beside("  run by the same server", `${round(p50(delays.here))} ms`, spread(delays.here)),
    beside("  through a bare relay", `${round(relay)} ms`),
    atMost("  statements an answer, with its reader", each.statements, 60, ""),
    atMost(
      "  commits of it",
      each.commits,
      12,
      "",
      `${round(each.transactions)} transactions, with reads outside of units`,
    ),
    atMost("  NOTIFY of it", each.notices, 6, ""),
    atMost("  statements a second, each server, idle", idle.statements, 3, ""),
  ];
}

const perUnit = (from: Work, to: Work, units: number): Work => ({
  statements: (to.statements - from.statements) / units,
  commits: (to.commits - from.commits) / units,
  transactions: (to.transactions - from.transactions) / units,
  notices: (to.notices - from.notices) / units,
});

async function workOf({ counter, database }: Pair): Promise<Work> {
  const { rows } = await counter.query<Record<keyof Work, string>>(
    `select sum(calls) as statements,
            coalesce(sum(calls) filter (where query ilike 'commit%'), 0) as commits,
            coalesce(sum(calls) filter (where query ilike '%pg_notify%'), 0) as notices,
            (select xact_commit from pg_stat_database where datname = $1) as transactions
     from pg_stat_statements join pg_database on pg_database.oid = dbid where datname = $1`,
    [database.database],
  );
  const [row] = rows;
  return {
    statements: Number(row?.statements),
    commits: Number(row?.commits),
    transactions: Number(row?.transactions),
    notices: Number(row?.notices),
  };
}

/** The server of each active run. */
async function ownersOf({ studio, other, database }: Pair): Promise<Map<string, BenchServer>> {
  const { rows } = await database.query<{ id: string; is_first: boolean }>(
    `select id, worker_id = (select id from worker order by started_at limit 1) as is_first
     from run where worker_id is not null`,
  );
  return new Map(rows.map(({ id, is_first }) => [id, is_first ? studio.server : other]));
}

/** A tab that asks at its own server and receives the answer there. */
async function openTab(studio: Studio, server: BenchServer) {
  const person = studio.nextPerson();
  const session = createSession(server.url, person.session.cookie);
  let runId = "";
  const ask = await askOverSocket(studio, {
    person: { ...person, session },
    onRun: (id) => {
      runId = id;
    },
  });
  return {
    ask: async () => ({ server, ...(await ask()), runId }),
    close: () => session.close(),
  };
}

export const twoServers: Row<Bench> = { name: "two-servers", what, measure };
