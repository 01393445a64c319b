import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import pino from "pino";
import { v7 as uuid } from "uuid";
import { openBlobStore } from "#blobs/blob-store.ts";
import { Problem } from "#contract/errors.ts";
import type { Clock } from "#domain/ids.ts";
import type { EngineDeps } from "#engine/deps.ts";
import { createEngine } from "#engine/engine.ts";
import { createFailpoints, withFailpoint } from "#engine/failpoints.ts";
import { createHub } from "#engine/hub.ts";
import { createLists } from "#engine/lists/lists.ts";
import { createMedia } from "#engine/media/media.ts";
import { createPriceList } from "#engine/prices/price-list.ts";
import { createSecrets } from "#engine/secrets.ts";
import { adapters } from "#providers/index.ts";
import { createOutbound } from "#providers/outbound.ts";
import { createApp } from "#server/app.ts";
import { createAuth } from "#server/auth/auth.ts";
import { httpOptions } from "#server/http-options.ts";
import { attachLive } from "#server/live.ts";
import { hashToken, newToken } from "#server/routes/session.ts";
import { readSettings, type Settings, SettingsError } from "#server/settings.ts";
import { migrate, StartError } from "#store/migrate.ts";
import { createCommit } from "#store/outbox.ts";
import { ensureInstance, getInstance, setSetupCode } from "#store/people.ts";
import { openPostgres } from "#store/postgres.ts";
import { openSqlite } from "#store/sqlite.ts";
import type { Store } from "#store/store.ts";
import { checkOf, openDataFolder, readMasterKey } from "./data-folder.ts";

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
const root = join(import.meta.dirname, "..");
/** A connection that is still busy when the server stops is cut after so long. */
const drainMs = 5_000;

async function openStore(settings: Settings, log: pino.Logger): Promise<Store> {
  const store = settings.databaseUrl
    ? openPostgres(settings.databaseUrl, (error) => log.warn({ error: error.message }, "the database connection failed"))
    : openSqlite(join(settings.dataFolder, "bottega.db"), clock);
  const { copiedTo } = await migrate(store, clock.now()).catch((cause) => {
    if (cause instanceof StartError || !settings.databaseUrl) throw cause;
    throw new StartError(
      `The database can't be used (${cause instanceof Error ? cause.message || ("code" in cause ? cause.code : "") : cause}). Check DATABASE_URL, and that PostgreSQL is running.`,
      { cause },
    );
  });
  if (copiedTo) console.log(`The database was copied to ${copiedTo} before it was brought up to date.`);
  return store;
}

/** @throws StartError when what is sealed in this database was sealed with another key: every provider would fail, one by one */
async function claimKey(store: Store, masterKey: Uint8Array): Promise<void> {
  const instance = await store.write(async (tx) => {
    await ensureInstance(tx, randomUUID(), clock.now(), checkOf(masterKey));
    return getInstance(tx);
  });
  if (instance?.masterKeyCheck !== checkOf(masterKey))
    throw new StartError(
      "The master key is not the one that this database was set up with. Give every server the same BOTTEGA_MASTER_KEY or master.key, or put the right one back from a backup.",
    );
}

/** The first server of an instance without an owner prints a code of its own; the newest one is valid. */
async function offerSetUp(store: Store, address: string): Promise<string | undefined> {
  if ((await getInstance(store.db))?.ownerId) return undefined;
  const code = newToken();
  await store.write((tx) => setSetupCode(tx, hashToken(code)));
  return `Set up here, once: ${address}/setup#code=${code}`;
}

async function listen(server: Server, settings: Settings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === "EADDRINUSE"
          ? `Port ${settings.port} is in use. Stop what uses it, or choose another one: PORT=4621 npm start.`
          : `Bottega can't listen on ${settings.host}:${settings.port} (${cause.code}). Check HOST and PORT.`;
      reject(new StartError(why, { cause }));
    });
    server.listen(settings.port, settings.host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : settings.port);
    });
  });
}

async function start(): Promise<void> {
  const settings = readSettings(process.env, process.argv.slice(2));
  const log = pino({ level: settings.logLevel, base: null }, pino.destination({ fd: 2, sync: false }));
  const folder = settings.databaseUrl
    ? await openDataFolder(settings.dataFolder, clock, { shared: true })
    : await openDataFolder(settings.dataFolder, clock);
  const masterKey = await readMasterKey(settings.dataFolder, settings.masterKey);
  const store = await openStore(settings, log);
  await claimKey(store, masterKey);
  const blobs = openBlobStore(settings.blobUrl, settings.dataFolder, process.env);
  const media = createMedia({ blobs, ffmpegPath: settings.ffmpeg, scratchFolder: join(settings.dataFolder, "blobs", "tmp") });
  const { lists, close: closeLists } = createLists(store);
  const hub = createHub();
  const failpoints = settings.failpoints && createFailpoints(settings.failpoints);
  const commit = createCommit(store, withFailpoint(hub, failpoints));
  const outbound = createOutbound();
  const priceList = createPriceList(log);
  const engineDeps: EngineDeps = {
    store,
    commit,
    hub,
    blobs,
    media,
    adapters: new Map(adapters.map((adapter) => [adapter.kind, adapter])),
    outbound,
    secrets: createSecrets({ version: 1, key: masterKey }),
    priceList,
    clock,
    ids: uuid,
    random: () => randomInt(2 ** 31 - 1),
    log,
    freeBytes: settings.blobUrl ? undefined : folder.freeBytes,
    failpoints,
  };
  const engine = createEngine(engineDeps, { role: settings.role, workerId: uuid(), bootId: randomBytes(16).toString("hex") });
  const auth = createAuth({ store, masterKey, publicUrl: settings.publicUrl });
  const webFolder = join(root, "dist", "web");
  const version = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
  let ready = false;
  const serverDeps = {
    settings,
    version,
    store,
    lists,
    commit,
    blobs,
    media,
    engine,
    hub,
    auth,
    clock,
    ids: uuid,
    log,
    ...(existsSync(webFolder) && { webFolder }),
  };
  const app = createApp(serverDeps, () => ready);
  const server = createAdaptorServer({ fetch: app.fetch, ...httpOptions }) as Server;
  const live = attachLive(server, serverDeps);
  // Before the engine: a server whose port is taken must not take up runs, let alone spend.
  const port = await listen(server, settings);
  await engine.start();
  const address =
    settings.publicUrl?.replace(/\/+$/, "") ??
    `http://${settings.host === "0.0.0.0" || settings.host === "::" ? "127.0.0.1" : settings.host}:${port}`;
  onSignals(async () => {
    ready = false;
    console.log("Bottega stops: nothing new is accepted, what runs is let go and goes on at the next start.");
    live.close();
    const drained = drain(server);
    await engine.stop();
    // What is still answered needs the database.
    await drained;
    await Promise.all([media.close(), outbound.close(), closeLists(), priceList.close()]);
    await store.close();
    folder.release();
  });
  ready = true;
  const offer = await offerSetUp(store, address);
  console.log(`Bottega listens on ${address}`);
  if (offer) console.log(offer);
}

/** Resolves when every request is answered, at the latest after `drainMs`, when what is left is cut off. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = new AbortController();
  await Promise.race([closed, wait(drainMs, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
  server.closeAllConnections();
}

/** The first signal lets everything end in order, a second one ends at once. */
function onSignals(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      stop().then(
        () => process.exit(0),
        (error) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
}

start().catch((error: unknown) => {
  const expected = error instanceof SettingsError || error instanceof StartError || error instanceof Problem;
  console.error(expected ? error.message : error);
  process.exit(1);
});
