import { randomUUID } from "node:crypto";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { listen, noticesOf } from "./postgres-listen.ts";
import { createPostgresWrite, noteTransaction } from "./postgres-write.ts";
import { prepared } from "./prepared.ts";
import type { Database } from "./schema.ts";
import type { Store } from "./store.ts";

const int8 = 20;
const numeric = 1700;
/** Counts, times, bytes and micro-dollars all stay below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

/** Opens a PostgreSQL database, shared by any number of servers. */
export function openPostgres(url: string, onError: (error: Error) => void): Store {
  const pool = new pg.Pool({
    connectionString: url,
    max: 12,
    types,
    application_name: "bottega",
    keepAlive: true,
    onConnect: limitIdleUnits,
  });
  pool.on("error", onError);
  // The pool handles errors of idle clients only; an unhandled error of an active one would end the
  // process.
  pool.on("connect", (client) => client.on("error", onError));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const locks = sessionLocks(url);
  const serverId = randomUUID();
  return {
    engine: "postgres",
    db,
    read: db,
    write: createPostgresWrite(db),
    async lockBooks(tx, how) {
      await (how === "shared" ? shareBooks : closeBooks)(tx, {});
    },
    async lockName(tx, words) {
      await closeName(tx, { words });
    },
    search: (table, words) => {
      const query = words.map((word) => `'${word}':*`).join(" & ");
      return sql<boolean>`to_tsvector('simple', ${sql.ref(`${table}.search`)}) @@ to_tsquery('simple', ${query})`;
    },
    // PostgreSQL estimates word frequencies by itself.
    isCommon: async () => true,
    async notify(tx, hints) {
      const notices = noticesOf(serverId, hints);
      const [notified] = await tell(tx, {
        channels: notices.map(({ channel }) => channel),
        payloads: notices.map(({ payload }) => payload),
      });
      if (notified?.id) noteTransaction(tx, notified.id);
    },
    listen: (onHint, onGap) => listen(url, serverId, { hint: onHint, gap: onGap, error: onError }),
    releaseSpace: async () => false,
    mergeWords: async () => false,
    sessionLock: locks,
    async close() {
      await locks.close();
      await db.destroy();
    },
  };
}

/**
 * A server that freezes in the middle of a unit, or whose machine dies, would hold the unit's locks
 * until TCP gives up after two hours. PostgreSQL ends the session sooner than a server counts as
 * dead. Set once the session exists, because poolers refuse it as a startup parameter.
 */
async function limitIdleUnits(session: pg.ClientBase): Promise<void> {
  await session.query("set idle_in_transaction_session_timeout = '30s'");
}

/** `id` is the transaction's id; null when it has written nothing so far. */
const tell = prepared((db, { channels, payloads }: { channels: string[]; payloads: string[] }) =>
  db
    .selectFrom(
      sql<{
        channel: string;
        payload: string;
      }>`unnest(${channels}::text[], ${payloads}::text[])`.as(
        sql<"notice">`notice(channel, payload)`,
      ),
    )
    .select([
      sql`pg_notify(channel, payload)`.as("told"),
      sql<number | null>`txid_current_if_assigned()`.as("id"),
    ]),
);

/** The key of our advisory lock on the ledger in this database. */
const booksLock = 7_301;
const shareBooks = prepared((db) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock_shared(${sql.lit(booksLock)})`.as("locked")),
);
const closeBooks = prepared((db) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(${sql.lit(booksLock)})`.as("locked")),
);
/**
 * The first of two keys, a space that PostgreSQL keeps apart from single-key locks. Names whose
 * hashes collide wait for each other needlessly.
 */
const namesLock = 7_302;
const closeName = prepared((db, { words }: { words: string }) =>
  db.selectNoFrom(
    sql`pg_advisory_xact_lock(${sql.lit(namesLock)}, hashtext(${words}))`.as("locked"),
  ),
);

/** Hash seed that keeps boot locks apart from other advisory locks in the database. */
const locksSeed = 4620;
const isFreeLock = (key: string): string =>
  `not exists (select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database()) and ((classid::bigint << 32) | objid::bigint) = hashtextextended(${key}, ${locksSeed}))`;

/** Advisory locks on a dedicated connection that lives as long as the process. */
function sessionLocks(url: string) {
  let client: Promise<pg.Client> | undefined;
  /** Locks this connection already holds, which aren't requested again while it lives. */
  const held = new Set<string>();
  /** Shared by concurrent callers: a lock taken on a second session would belong to nobody. */
  function connected(): Promise<pg.Client> {
    if (client) return client;
    const fresh = new pg.Client({
      connectionString: url,
      application_name: "bottega-locks",
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    });
    const connecting = fresh.connect().then(() => fresh);
    const gone = (): void => {
      if (client !== connecting) return;
      client = undefined;
      held.clear();
    };
    fresh.on("error", gone);
    fresh.on("end", gone);
    connecting.catch(gone);
    client = connecting;
    return connecting;
  }
  const first = async (text: string, key: string): Promise<boolean> => {
    const result = await (await connected()).query<{ yes: boolean }>(text, [key]);
    return result.rows[0]?.yes === true;
  };
  return {
    async take(key: string) {
      if (held.has(key)) return true;
      const isTaken = await first(
        `select pg_try_advisory_lock(hashtextextended($1, ${locksSeed})) as yes`,
        key,
      );
      if (isTaken && client) held.add(key);
      return isTaken;
    },
    /** Checks without taking: a session would count its own locks as free. */
    isFree: (key: string) => first(`select ${isFreeLock("$1")} as yes`, key),
    freeIn: (column: string) => {
      const [before, after] = isFreeLock("$1").split("$1") as [string, string];
      return sql<boolean>`${sql.raw(before)}${sql.ref(column)}${sql.raw(after)}`;
    },
    async close() {
      const open = await client?.catch(() => undefined);
      client = undefined;
      await open?.end().catch(() => undefined);
    },
  };
}
