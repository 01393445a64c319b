import { randomBytes, randomInt } from "node:crypto";
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { sql } from "kysely";
import { v7 as uuid } from "uuid";
import { onTestFinished } from "vitest";
import type { BlobStore } from "#blobs/blob-store.ts";
import { type BlobStorage, openBlobStore } from "#blobs/open-storage.ts";
import type { User } from "#contract/entities.ts";
import { keyScopes } from "#contract/key-scopes.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import type { Clock } from "#domain/runs/ids.ts";
import { createHealthyConnections } from "#engine/connections/healthy-connections.ts";
import { listedPrices } from "#engine/connections/prices/listed-prices.ts";
import { createSecrets } from "#engine/connections/secrets.ts";
import type { EngineDeps, Log, PriceList, Secrets } from "#engine/deps.ts";
import { createEngine, type Engine } from "#engine/engine.ts";
import { createFailpoints, readFailpoints, withFailpoint } from "#engine/failpoints.ts";
import { createHub } from "#engine/hub.ts";
import { createMedia, createMediaThreads } from "#engine/ingest/media/media.ts";
import { createCountedBranches } from "#engine/plan/context/count.ts";
import { createFileOwner } from "#engine/recover/file-owner.ts";
import { watchStorage } from "#engine/room.ts";
import { createJsonReader } from "#engine/threads/json/json-reader.ts";
import { createLists } from "#engine/threads/lists/lists.ts";
import { createPages } from "#engine/threads/pages/pages.ts";
import type { Adapter } from "#providers/adapter.ts";
import { createOutbound } from "#providers/outbound/outbound.ts";
import { createApp, type PerMinute } from "#server/app.ts";
import { createAuth } from "#server/auth/auth.ts";
import { createHookKeys } from "#server/auth/hook-keys.ts";
import { createSigner } from "#server/auth/signed-links.ts";
import type { ServerDeps } from "#server/deps.ts";
import { createFalCaller } from "#server/doors/fal/webhook.ts";
import { httpOptions } from "#server/http-options.ts";
import { attachSockets } from "#server/live/sockets.ts";
import { hashToken, newToken } from "#server/routes/session.ts";
import { createWaitingCalls } from "#server/waiting-calls.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { ensureInstance, insertUser, setSetupCode } from "#store/people/people.ts";
import { insertProject } from "#store/people/projects.ts";
import { createCommit } from "#store/runs/unit.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { openStore } from "../databases/test-store.ts";
import { noFfmpeg } from "../no-ffmpeg.ts";
import { oneKey } from "../one-key.ts";
import { patienceMs } from "../patience.ts";
import { startSession } from "./sign-in.ts";

/**
 * The parts of a server that start threads, each of which takes up to a second of a core to load
 * its modules from source. Threads that read pictures are shared by all instances of this process,
 * and the price list is read without one.
 */
let mediaThreads: ReturnType<typeof createMediaThreads> | undefined;
const priceList: PriceList = {
  pricesOf: async ({ api, modelIds, at }) =>
    Object.fromEntries(modelIds.map((id) => [id, listedPrices(api, id, at)])),
  close: async () => undefined,
};

/** A clock that stands still until a test advances it. */
export type TestClock = Clock & { advance(ms: number): void };
export function createTestClock(startsAt = 1_795_000_000_000): TestClock {
  let passed = 0;
  return { now: () => startsAt + passed, monotonic: () => passed, advance: (ms) => (passed += ms) };
}

const realClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const testPassword = "correct horse battery";
/** The hash of `testPassword`, created once per test file. */
let testPasswordHash: Promise<string> | undefined;

export type Answer<Body = Record<string, unknown>> = {
  status: number;
  body: Body;
  headers: Headers;
};
type Given = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
};
/** A client of the server, with or without a session. */
export type Caller = {
  user: User;
  projectId: string;
  cookie: string;
  call<Body = Record<string, unknown>>(name: RouteName, given?: Given): Promise<Answer<Body>>;
};

/** A program that calls the server with a key. */
export type KeyCaller = Pick<Caller, "call"> & { id: string; token: string };

/**
 * A complete Bottega in this process, with a real database and real files; requests reach the app
 * without a port. If it is created in a test, it ends with the test; if it is created in a hook,
 * the hook has to call `close`.
 */
export async function createInstance(
  database: TestDatabase,
  options: {
    endsWithTest?: boolean;
    adapters?: readonly Adapter[];
    clock?: Clock;
    /** The secrets of another boot on the same database, which sealed its connections. */
    secrets?: Secrets;
    role?: "web" | "worker" | "all";
    log?: Log;
    start?: boolean;
    outputRetryMs?: readonly number[];
    outputSilenceMs?: number;
    /** The rate limits per address, person or key. */
    perMinute?: PerMinute;
    /** The failpoints, in the format of BOTTEGA_FAILPOINTS. */
    failpoints?: string;
    publicUrl?: string;
    commandLineFolder?: string;
    appOrigins?: string[];
    trustedProxies?: string[];
    toolPrograms?: boolean;
    /** Replaces the files in the data folder. */
    blobs?: BlobStore;
    /**
     * Replaces the files and their mark. The owner is checked at the start, like main.ts does, and
     * whenever the test asks.
     */
    storage?: BlobStorage;
    /** The database has moved since it was last served. */
    isMoved?: boolean;
    scratchFolder?: string;
    /** How long a program's call waits for a place. */
    placeWaitMs?: number;
    /** Reads long lists in threads, like a server, instead of in this thread. */
    listThreads?: boolean;
  } = {},
) {
  const clock = options.clock ?? realClock;
  const log = options.log ?? quiet;
  const store = openStore(database, clock);
  await spareTheDisk(store);
  await migrate(store, clock.now());
  await store.write((tx) => ensureInstance(tx, uuid(), clock.now()));
  const fileOwner =
    options.storage && (await createFileOwner({ store, storage: options.storage, clock, log }));
  await fileOwner?.start(options.isMoved ?? false);
  const { blobs, storageTrouble } = watchStorage(
    fileOwner?.blobs ?? options.blobs ?? openBlobStore(undefined, database.dataFolder, {}),
    clock,
  );
  const scratchFolder = options.scratchFolder ?? join(database.dataFolder, "blobs", "tmp");
  mediaThreads ??= createMediaThreads();
  const media = createMedia({
    blobs,
    scratchFolder,
    threads: mediaThreads,
    ffmpegPath: noFfmpeg,
  });
  const json = createJsonReader();
  const { lists, close: closeLists } = createLists(
    options.listThreads ? store : { ...store, file: undefined },
  );
  const { renderPage } = createPages(false);
  const hub = createHub();
  const failpoints =
    options.failpoints === undefined
      ? undefined
      : createFailpoints(readFailpoints(options.failpoints));
  const commit = createCommit({
    store,
    watchers: withFailpoint(hub, failpoints),
    ids: uuid,
    clock,
  });
  const masterKey = randomBytes(32);
  const outbound = createOutbound();
  const signer = createSigner(oneKey(masterKey));
  const hookKeys = createHookKeys(oneKey(masterKey));
  const settings: ServerDeps["settings"] = {
    publicUrl: options.publicUrl,
    trustedProxies: options.trustedProxies ?? [],
    insecureHttp: false,
    appOrigins: options.appOrigins ?? [],
    environment: {},
  };
  const engineDeps: EngineDeps = {
    store,
    commit,
    hub,
    quiet: createHealthyConnections(hub),
    counted: createCountedBranches(),
    blobs,
    media,
    json,
    kinds: new Map(
      (options.adapters ?? []).map((adapter) => [
        adapter.kind,
        { ...adapter, load: async () => adapter },
      ]),
    ),
    outbound,
    secrets: options.secrets ?? createSecrets(oneKey(masterKey)),
    priceList,
    clock,
    ids: uuid,
    random: () => randomInt(2 ** 31 - 1),
    log,
    runCaller: createFalCaller({ store, clock, settings, signer, hookKeys }),
    storageTrouble,
    ...(fileOwner && { fileOwner }),
    ...(failpoints && { failpoints }),
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
    ...(options.toolPrograms && { toolPrograms: true }),
    ...(options.outputRetryMs && { outputRetryMs: options.outputRetryMs }),
    ...(options.outputSilenceMs && { outputSilenceMs: options.outputSilenceMs }),
  };
  const engine: Engine = createEngine(engineDeps, {
    role: options.role ?? "all",
    workerId: uuid(),
    bootId: uuid(),
  });
  if (options.start !== false) await engine.start();
  const auth = createAuth({ store, masterKeys: oneKey(masterKey) });
  // A single object, so that a test's changes apply to the engine and to the server's doors.
  const deps: ServerDeps = Object.assign(engineDeps, {
    settings,
    version: "0.0.0",
    lists,
    renderPage,
    scratchFolder,
    engine,
    calls: createWaitingCalls(options),
    auth,
    signer,
    hookKeys,
    commandLineFolder: options.commandLineFolder,
  });
  const app = createApp(deps, () => true, options.perMinute);
  let listening: Server | undefined;

  async function close(): Promise<void> {
    await engine.stop();
    await fileOwner?.stop();
    listening?.closeAllConnections();
    listening?.close();
    await Promise.all([media.close(), json.close(), outbound.close(), closeLists()]);
    await store.close();
  }
  if (options.endsWithTest) onTestFinished(close);

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const incoming = incomingFor(path, init);
    return app.request(path, init, { incoming, outgoing: new ServerResponse(incoming) });
  }

  async function callAs<Body = Record<string, unknown>>(
    credentials: Record<string, string>,
    name: RouteName,
    given: Given = {},
  ): Promise<Answer<Body>> {
    const route: Route = routes[name];
    const path = route.path.replace(
      /:(\w+)/g,
      (_, key: string) => given.params?.[key] ?? "missing",
    );
    const query = new URLSearchParams(given.query).toString();
    const response = await request(query ? `${path}?${query}` : path, {
      method: route.method,
      headers: {
        host: "127.0.0.1",
        ...given.headers,
        ...credentials,
        ...(given.body !== undefined && { "content-type": "application/json" }),
      },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text.startsWith("{") ? JSON.parse(text) : {}) as Body,
      headers: response.headers,
    };
  }

  /** A signed-in person with a personal project. */
  async function createPerson(
    email: string,
    facts: { role?: "owner" | "admin" | "member" } = {},
  ): Promise<Caller> {
    testPasswordHash ??= auth.hashPassword(testPassword);
    const passwordHash = await testPasswordHash;
    const projectId = uuid();
    const user = await commit(async ({ tx }) => {
      const made = await insertUser(tx, {
        id: uuid(),
        accountId: uuid(),
        name: email.split("@")[0] ?? email,
        email,
        role: facts.role ?? "member",
        passwordHash,
        at: clock.now(),
      });
      await insertProject(tx, {
        id: projectId,
        name: `${made.name}'s project`,
        description: "",
        ownerId: made.id,
        at: clock.now(),
      });
      return made;
    });
    const cookie = await startSession(store, masterKey, user.id);
    return { user, projectId, cookie, call: (name, given) => callAs({ cookie }, name, given) };
  }

  async function signIn(email: string, password: string): Promise<string> {
    const { cookies } = await auth.signIn(email, password, {
      headers: new Headers(),
      encrypted: false,
    });
    return cookies.map((cookie) => cookie.split(";")[0]).join("; ");
  }

  return {
    deps,
    engineDeps,
    engine,
    store,
    commit,
    app,
    request,
    createPerson,
    signIn,
    anonymous: (name: RouteName, given?: Given) => callAs({}, name, given),
    /** A person's key, by default for their own project and with every scope. */
    async createKey(
      who: Caller,
      facts: Partial<RouteInput<"createKey", "body">> = {},
    ): Promise<KeyCaller> {
      const body = {
        name: "a key",
        projectId: who.projectId,
        scopes: [...keyScopes],
        ratePerMinute: 10_000,
        ...facts,
      };
      const made = await who.call<{ key: { id: string }; token: string }>("createKey", { body });
      if (made.status !== 200) throw new Error(JSON.stringify(made.body));
      const { key, token } = made.body;
      return {
        id: key.id,
        token,
        call: (name, given) => callAs({ authorization: `Bearer ${token}` }, name, given),
      };
    },
    async createSetupCode(): Promise<string> {
      const code = newToken();
      await store.write((tx) => setSetupCode(tx, hashToken(code)));
      return code;
    },
    /** Opens a real port, for sockets and event streams. */
    async listen(slowReaderMs?: number): Promise<string> {
      const server = createAdaptorServer({
        fetch: app.fetch,
        createServer,
        ...httpOptions,
      }) as Server;
      attachSockets(server, deps, slowReaderMs);
      listening = server;
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    },
    close,
  };
}
export type Instance = Awaited<ReturnType<typeof createInstance>>;

/** The parts of a request's socket that the app reads, for requests without one. */
function incomingFor(path: string, init: RequestInit): IncomingMessage {
  const headers = Object.fromEntries(new Headers(init.headers));
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: "127.0.0.1" });
  return Object.assign(new IncomingMessage(socket), {
    url: path,
    headers: { host: "127.0.0.1", ...headers },
  });
}

/**
 * Commits here don't have to survive the machine, so waiting for the disk would prove nothing (a
 * killed server does wait for it).
 */
async function spareTheDisk(store: Store): Promise<void> {
  if (store.engine === "sqlite") await sql`pragma synchronous = off`.execute(store.db);
}

/** Polls until a condition holds, for events in another part of the process. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs = patienceMs,
): Promise<T> {
  const since = performance.now();
  // Short intervals first, then longer ones, so that late polls add little load.
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 1.5, 60)) {
    const found = await ask();
    if (found) return found;
    if (performance.now() - since > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
