import { randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import pino from "pino";
import { openBlobStorage } from "#blobs/open-storage.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { EpochReason } from "#contract/waiting-reasons.ts";
import { arriveAt, type NewEpoch } from "#engine/claim/epoch.ts";
import { createHealthyConnections } from "#engine/connections/healthy-connections.ts";
import { createPriceList } from "#engine/connections/prices/price-list.ts";
import { createSecrets } from "#engine/connections/secrets.ts";
import type { EngineDeps } from "#engine/deps.ts";
import { createEngine } from "#engine/engine.ts";
import { createFailpoints, withFailpoint } from "#engine/failpoints.ts";
import { createHub } from "#engine/hub.ts";
import { createMedia } from "#engine/ingest/media/media.ts";
import { createCountedBranches } from "#engine/plan/context/count.ts";
import { createFileOwner, type FileOwner } from "#engine/recover/file-owner.ts";
import { watchStorage } from "#engine/room.ts";
import { createJsonReader } from "#engine/threads/json/json-reader.ts";
import { createLists } from "#engine/threads/lists/lists.ts";
import { createPages } from "#engine/threads/pages/pages.ts";
import { kinds } from "#providers/index.ts";
import { createOutbound } from "#providers/outbound/outbound.ts";
import { createApp } from "#server/app.ts";
import { createAuth } from "#server/auth/auth.ts";
import { createHookKeys } from "#server/auth/hook-keys.ts";
import { createSigner } from "#server/auth/signed-links.ts";
import { createFalCaller } from "#server/doors/fal/webhook.ts";
import { httpOptions } from "#server/http-options.ts";
import { attachSockets } from "#server/live/sockets.ts";
import { hashToken, newToken } from "#server/routes/session.ts";
import { readSettings, type Settings, SettingsError } from "#server/settings.ts";
import { createWaitingCalls } from "#server/waiting-calls.ts";
import { createIds } from "#store/database/ids.ts";
import { StartError } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { getInstance, setSetupCode } from "#store/people/people.ts";
import { getPlace } from "#store/runs/epoch.ts";
import { createCommit } from "#store/runs/unit.ts";
import { createBackups } from "./commands/backup-process.ts";
import { openDataFolder } from "./data-folder.ts";
import { openKeyRing } from "./master-keys.ts";
import { clock, openStore, programVersion, root } from "./open.ts";
import { findPlace, leavePlace } from "./place.ts";

/**
 * Each server of an instance without an owner prints its own setup code; the newest one is valid.
 */
async function offerSetUp(store: Store, address: string): Promise<string | undefined> {
  if ((await getInstance(store.db))?.ownerId) return undefined;
  const code = newToken();
  await store.write((tx) => setSetupCode(tx, hashToken(code)));
  return `Set up here, once: ${address}/setup#code=${code}`;
}

const whyEpoch: Record<EpochReason, string> = {
  restore: "This database was restored from a backup, or set back to an older state.",
  copy: "This database was copied or moved.",
  overtaken:
    "This database no longer owns its files: another took them over, or this one was set back.",
};

/** A new epoch's findings in one line; undefined if it found no run and no webhook. */
function describeEpoch(
  { waiting, unconfirmed, followed, webhooks }: NewEpoch,
  why: EpochReason,
): string | undefined {
  const some = (count: number, one: string, many: string) =>
    count > 0 ? [`${count} ${count === 1 ? one : many}`] : [];
  const found = [
    ...some(waiting, "queued run needs approval", "queued runs need approval"),
    ...some(unconfirmed, "run is unconfirmed", "runs are unconfirmed"),
    ...some(
      followed,
      "run is followed or closed with what was saved",
      "runs are followed or closed with what was saved",
    ),
    ...some(webhooks, "webhook is paused", "webhooks are paused"),
  ];
  if (found.length === 0) return undefined;
  return `${whyEpoch[why]} Nothing is sent by itself: ${found.join(", ")}.`;
}

/** Reports that a copied or restored database sends nothing by itself. */
async function tellOfNewEpoch(
  deps: EngineDeps,
  settings: Settings,
  fileOwner: FileOwner,
): Promise<void> {
  const { place, whyNew, keep } = await findPlace(deps.store, settings.dataFolder);
  const moved = whyNew(await getPlace(deps.store.db));
  const { isNewCopy } = await fileOwner.start(moved !== null);
  const overtaken = isNewCopy ? "overtaken" : null;
  const begun = await arriveAt(deps, place, (last) => whyNew(last) ?? overtaken);
  await keep();
  const { trouble } = fileOwner.health();
  if (trouble !== null)
    console.log(
      `${trouble} Files can't be saved or shown until it works; it is asked again every few seconds.`,
    );
  if (fileOwner.ownership() === "copy")
    console.log(
      "The files in the storage belong to another Bottega. This server deletes none of them and saves its own files separately. To take them over, stop the other server and run bottega take-over.",
    );
  const found = begun && describeEpoch(begun, moved ?? "overtaken");
  if (found) console.log(found);
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
  const logTarget = pino.destination({ fd: 2, sync: false });
  // A log on a full disk must not end the server.
  logTarget.on("error", () => undefined);
  const log = pino({ level: settings.logLevel, base: null }, logTarget);
  const folder = settings.databaseUrl
    ? await openDataFolder(settings.dataFolder, clock, { shared: true })
    : await openDataFolder(settings.dataFolder, clock);
  const store = await openStore(settings, (error) =>
    log.warn({ error: error.message }, "the database connection failed"),
  );
  const masterKeys = await openKeyRing(settings, store);
  const storage = openBlobStorage(settings.blobUrl, settings.dataFolder, process.env);
  const fileOwner = await createFileOwner({ store, storage, clock, log });
  const { blobs, storageTrouble } = watchStorage(fileOwner.blobs, clock);
  const scratchFolder = join(settings.dataFolder, "blobs", "tmp");
  const media = createMedia({ blobs, ffmpegPath: settings.ffmpeg, scratchFolder });
  const json = createJsonReader();
  const { lists, close: closeLists } = createLists(store);
  const { renderPage, close: closePages } = createPages();
  const hub = createHub({
    recordings: { folder: scratchFolder, mostBytes: limits.liveSoundBytes },
  });
  const failpoints = settings.failpoints && createFailpoints(settings.failpoints);
  const ids = createIds(clock.now);
  const commit = createCommit({ store, watchers: withFailpoint(hub, failpoints), ids, clock });
  const outbound = createOutbound();
  const priceList = createPriceList(log);
  const signer = createSigner(masterKeys);
  const hookKeys = createHookKeys(masterKeys);
  const engineDeps: EngineDeps = {
    store,
    commit,
    hub,
    quiet: createHealthyConnections(hub),
    counted: createCountedBranches(),
    blobs,
    media,
    json,
    kinds: new Map(kinds.map((kind) => [kind.kind, kind])),
    outbound,
    secrets: createSecrets(masterKeys),
    priceList,
    clock,
    ids,
    random: () => randomInt(2 ** 31 - 1),
    log,
    ...(settings.publicUrl && { publicUrl: settings.publicUrl }),
    toolPrograms: settings.toolPrograms,
    // With files and database elsewhere, nothing here can fill up.
    freeBytes: settings.blobUrl && settings.databaseUrl ? undefined : folder.freeBytes,
    storageTrouble,
    fileOwner,
    failpoints,
    backups: createBackups(settings),
    runCaller: createFalCaller({ store, clock, settings, signer, hookKeys }),
  };
  const workerId = ids();
  const engine = createEngine(engineDeps, {
    role: settings.role,
    workerId,
    bootId: randomBytes(16).toString("hex"),
  });
  const auth = createAuth({ store, masterKeys, publicUrl: settings.publicUrl });
  const builtFolder = join(root, "dist");
  const webFolder = join(builtFolder, "web");
  const calls = createWaitingCalls();
  let ready = false;
  const serverDeps = {
    ...engineDeps,
    settings,
    version: programVersion,
    lists,
    renderPage,
    scratchFolder,
    engine,
    calls,
    auth,
    signer,
    hookKeys,
    ...(existsSync(webFolder) && { webFolder }),
    ...(existsSync(join(builtFolder, "cli.mjs")) && { commandLineFolder: builtFolder }),
  };
  const app = createApp(serverDeps, () => ready);
  const server = createAdaptorServer({ fetch: app.fetch, ...httpOptions }) as Server;
  const sockets = attachSockets(server, serverDeps);
  // Before the engine: a server whose port is taken must not adopt runs, let alone spend.
  const port = await listen(server, settings);
  server.on("error", (error) =>
    log.warn({ error: error.message }, "a connection could not be accepted"),
  );
  await tellOfNewEpoch(engineDeps, settings, fileOwner);
  await engine.start();
  const unwatchKeys = masterKeys.watch(workerId, log);
  const address =
    settings.publicUrl?.replace(/\/+$/, "") ??
    `http://${settings.host === "0.0.0.0" || settings.host === "::" ? "127.0.0.1" : settings.host}:${port}`;
  onSignals(async () => {
    ready = false;
    console.log(
      `Bottega stops: new work waits for the next start, work in flight has ${settings.drainS} s. A second signal ends it at once.`,
    );
    const most = AbortSignal.timeout(settings.drainS * 1000);
    await Promise.all([engine.drain(most), calls.drain(most)]);
    sockets.close();
    const drained = drain(server);
    await engine.stop();
    // Requests still being answered need the database.
    await drained;
    await fileOwner.stop();
    await unwatchKeys();
    await Promise.all([
      media.close(),
      json.close(),
      outbound.close(),
      closeLists(),
      closePages(),
      priceList.close(),
    ]);
    await leavePlace(store, settings.dataFolder);
    await store.close();
    folder.release();
  });
  ready = true;
  const offer = await offerSetUp(store, address);
  console.log(`Bottega listens on ${address}`);
  if (offer) console.log(offer);
}

/**
 * Resolves when every request is answered, at the latest after `stopMs`, when the rest is cut off.
 */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = new AbortController();
  await Promise.race([
    closed,
    wait(limits.stopMs, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  server.closeAllConnections();
}

/** The first signal ends everything in order, a second one immediately. */
function onSignals(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      // The launcher's end meanwhile doesn't count as a second signal.
      process.removeAllListeners("disconnect");
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

const [command, ...rest] = process.argv.slice(2);
if (
  command !== undefined &&
  /^(run|backup|restore|doctor|rotate-key|take-over|help|--help|-h)$/.test(command)
) {
  const { runCommand } = await import("./commands/run-command.ts");
  const { endWithParent } = await import("./commands/end-with-parent.ts");
  endWithParent();
  const { terminalOf } = await import("./commands/client/terminal.ts");
  process.exitCode = await runCommand(command, rest, terminalOf(process));
} else
  await start().catch((error: unknown) => {
    const expected =
      error instanceof SettingsError || error instanceof StartError || error instanceof Problem;
    console.error(expected ? error.message : error);
    process.exit(1);
  });
