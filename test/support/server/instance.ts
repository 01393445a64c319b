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
import { oneKey } from "#engine/connections/key-ring.ts";
import { listedPrices } from "#engine/connections/prices/listed-prices.ts";
import { createQuietConnections } from "#engine/connections/quiet.ts";
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
import { startSession } from "./sign-in.ts";

/**
 * What a server starts threads for, and each thread takes up to a second of a core to load its modules from the source: pictures
 * are read in threads of all instances of this process, the price list on its own thread.
 */
let mediaThreads: ReturnType<typeof createMediaThreads> | undefined;
const priceList: PriceList = {
  pricesOf: async ({ api, modelIds, at }) =>
    Object.fromEntries(modelIds.map((id) => [id, listedPrices(api, id, at)])),
  close: async () => undefined,
};

/** A clock that stands still until a test moves it. */
export type TestClock = Clock & { advance(ms: number): void };
export function createTestClock(startsAt = 1_795_000_000_000): TestClock {
  let passed = 0;
  return { now: () => startsAt + passed, monotonic: () => passed, advance: (ms) => (passed += ms) };
}

const realClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const testPassword = "correct horse battery";
/** Of `testPassword`, made once for a test file. */
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
/** Someone who calls the server: with a session, or without one. */
export type Caller = {
  user: User;
  projectId: string;
  cookie: string;
  call<Body = Record<string, unknown>>(name: RouteName, given?: Given): Promise<Answer<Body>>;
};

/** A program that calls the server with a key. */
export type KeyCaller = Pick<Caller, "call"> & { id: string; token: string };

/**
 * A whole Bottega in this process, over a real database and real files; requests go through the app without a port. Made for
 * one test, it ends with it; made in a hook, `close` is for the hook.
 */
export async function createInstance(
  database: TestDatabase,
  options: {
    endsWithTest?: boolean;
    adapters?: readonly Adapter[];
    clock?: Clock;
    /** Those of another boot on the same database, whose connections are sealed with them. */
    secrets?: Secrets;
    role?: "web" | "worker" | "all";
    log?: Log;
    start?: boolean;
    outputRetryMs?: readonly number[];
    outputSilenceMs?: number;
    /** How often one address, person or key may ask. */
    perMinute?: PerMinute;
    /** Where the road breaks, as BOTTEGA_FAILPOINTS says it. */
    failpoints?: string;
    publicUrl?: string;
    commandLineFolder?: string;
    appOrigins?: string[];
    trustedProxies?: string[];
    toolPrograms?: boolean;
    /** In place of the files in the data folder. */
    blobs?: BlobStore;
    /** The same with its mark: whose the files are is looked at, by the start as main.ts does it and when the test says so. */
    storage?: BlobStorage;
    /** The database is not where it was last served from. */
    isMoved?: boolean;
    scratchFolder?: string;
    /** How long a program's call waits for a place. */
    placeWaitMs?: number;
    /** Long lists are read in threads, as a server does: not in this one. */
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
  const media = createMedia({ blobs, scratchFolder, threads: mediaThreads });
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
    quiet: createQuietConnections(hub),
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
  // One object, so that what a test changes of it is changed for the engine and for the doors.
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

  /** A person with a project of their own, signed in. */
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
    /** A key of a person, of their own project and with every scope unless others are named. */
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
    /** A real port, for sockets and event streams. */
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

/** What the app reads of a request's socket, for requests that come through no socket. */
function incomingFor(path: string, init: RequestInit): IncomingMessage {
  const headers = Object.fromEntries(new Headers(init.headers));
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: "127.0.0.1" });
  return Object.assign(new IncomingMessage(socket), {
    url: path,
    headers: { host: "127.0.0.1", ...headers },
  });
}

/** What is committed here outlives no machine: to wait for the disk would prove nothing (a killed server does wait for it). */
async function spareTheDisk(store: Store): Promise<void> {
  if (store.engine === "sqlite") await sql`pragma synchronous = off`.execute(store.db);
}

/** Asks again until the condition holds: for what happens on its own in another part of the process. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs = 20_000,
): Promise<T> {
  const since = performance.now();
  // Soon at first; the longer it takes, the less a later question delays it.
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 1.5, 60)) {
    const found = await ask();
    if (found) return found;
    if (performance.now() - since > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
