import { join } from "node:path";
import { v7 as uuid } from "uuid";
import type { ModelRef } from "#contract/entities.ts";
import type { WrittenKey } from "#engine/connections/key-ring.ts";
import { insertConversation } from "#store/content/conversations.ts";
import { openPostgres } from "#store/database/postgres.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import { updateConnection } from "#store/models/connections.ts";
import { insertUser } from "#store/people/people.ts";
import { insertMember } from "#store/people/projects.ts";
import { newUnit } from "#store/runs/unit.ts";
import { readMasterKeys } from "../../src/data-folder.ts";
import { startSession } from "../support/server/sign-in.ts";
import type { Bench } from "./bench.ts";
import { type ProviderOptions, startProvider } from "./provider.ts";
import { type BenchServer, startBuiltServer } from "./server.ts";
import { createSession, type Session } from "./session.ts";

export const password = "a bench of oak and iron";
export const email = "bench@example.org";

export type Studio = {
  server: BenchServer;
  session: Session;
  /** The fake provider's own address, for the direct figure. */
  providerUrl: string;
  projectId: string;
  model: ModelRef;
  dataFolder: string;
  /**
   * The project's people in rotation, because a single person's requests per minute and sockets are
   * limited.
   */
  nextPerson(): Person;
  stop(): Promise<void>;
};

/**
 * `nextConversation` returns the id of an unused conversation of theirs.
 * @throws Error if all are used
 */
export type Person = { session: Session; nextConversation(): string };

export type StudioOptions = {
  /** More arguments for the server's Node. */
  nodeArgs?: readonly string[];
  provider: ProviderOptions;
  /** Replaces the file in the data folder by PostgreSQL. */
  databaseUrl?: string;
  /** Each person's empty conversations, created in advance so that creating them isn't measured. */
  conversationsEach?: number;
  /** Writes further rows while no server is running. */
  seed?: (
    store: Store,
    facts: { projectId: string; userId: string; connectionId: string; dataFolder: string },
  ) => Promise<void>;
};

export const peopleCount = 40;
/**
 * The runs of one connection at once; in the product 8 unless its kind differs, here never a
 * bottleneck.
 */
const concurrency = 1_000;

/**
 * A set-up Bottega with a signed-in owner, connected to the fake provider: set up over HTTP,
 * stopped, filled with rows through the store, and restarted for measuring.
 */
export async function openStudio(bench: Bench, options: StudioOptions): Promise<Studio> {
  const dataFolder = bench.createFolder("data");
  const provider = await startProvider(options.provider);
  const place = { dataFolder, databaseUrl: options.databaseUrl };
  const { cookie, projectId, userId, connectionId } = await setUp(bench, place, provider.url);
  const filled = await fill(dataFolder, options, { projectId, userId, connectionId });
  const server = await startBuiltServer(bench.cores, {
    ...place,
    nodeArgs: [...bench.serverArgs, ...(options.nodeArgs ?? [])],
  });
  const session = createSession(server.url, cookie);
  const people = filled.map(({ cookie, free }): Person & { session: Session } => ({
    session: createSession(server.url, cookie),
    nextConversation() {
      const id = free.pop();
      if (!id) throw new Error("no conversation is left");
      return id;
    },
  }));
  let turn = 0;
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await Promise.all(
      [session, ...people.map((person) => person.session)].map((each) => each.close()),
    );
    await server.stop();
    await provider.stop();
  };
  bench.onEnd(stop);
  return {
    server,
    session,
    providerUrl: provider.url,
    projectId,
    model: { connectionId, modelId: "sim-chat" },
    dataFolder,
    nextPerson: () => people[turn++ % people.length]!,
    stop,
  };
}

async function setUp(
  bench: Bench,
  place: { dataFolder: string; databaseUrl: string | undefined },
  providerUrl: string,
) {
  const server = await startBuiltServer(bench.cores, place);
  const session = createSession(server.url);
  try {
    const code = await server.setupCode();
    if (!code) throw new Error("The server printed no set-up link.");
    await session.call("setUp", {
      body: { name: "Bench", email, password, code, projectName: "Bench", take: [] },
    });
    const { projects, user } = await session.call("getMe");
    const { connection } = await session.call("createConnection", {
      body: {
        kind: "openai-compatible",
        name: "Fake",
        scope: "instance",
        values: { api: providerUrl },
      },
    });
    return {
      cookie: session.cookie,
      projectId: projects[0]!.id,
      userId: user.id,
      connectionId: connection.id,
    };
  } finally {
    await session.close();
    await server.stop();
  }
}

async function fill(
  dataFolder: string,
  options: StudioOptions,
  facts: { projectId: string; userId: string; connectionId: string },
): Promise<{ cookie: string; free: string[] }[]> {
  const [{ key: masterKey }] = (await readMasterKeys(dataFolder, undefined)) as [WrittenKey];
  const store = options.databaseUrl
    ? openPostgres(options.databaseUrl, () => undefined)
    : openSqlite(join(dataFolder, "bottega.db"), { monotonic: () => performance.now() });
  const people = Array.from({ length: peopleCount }, () => ({
    userId: uuid(),
    cookie: "",
    free: [] as string[],
  }));
  try {
    await store.write(async (tx) => {
      await updateConnection(tx, facts.connectionId, {
        places: { text: concurrency, media: concurrency },
      });
      const at = Date.now();
      const conversation = {
        projectId: facts.projectId,
        title: "Bench",
        systemPrompt: "",
        settings: {},
        at,
      };
      for (const [i, { userId }] of people.entries()) {
        const user = {
          id: userId,
          accountId: uuid(),
          name: `Person ${i}`,
          email: `person-${i}@example.org`,
          role: "member" as const,
        };
        await insertUser(tx, { ...user, passwordHash: "", at });
        await insertMember(tx, { projectId: facts.projectId, userId, role: "editor", at });
      }
      for (let i = 0; i < (options.conversationsEach ?? 1) * peopleCount; i++) {
        const { userId, free } = people[i % peopleCount]!;
        free.push(uuid());
        await insertConversation(newUnit(tx, at), { ...conversation, userId, id: free.at(-1)! });
      }
    });
    for (const person of people)
      person.cookie = await startSession(store, masterKey, person.userId);
    await options.seed?.(store, { ...facts, dataFolder });
  } finally {
    await store.close();
  }
  return people;
}

const warmUps = 5;

/**
 * A request's CPU time on all threads, for each studio, measured alternately, because a busy
 * machine slows down all of them.
 */
export async function measureByTurns(
  studios: readonly Studio[],
  times: number,
  {
    before,
    ask,
  }: {
    /** Not measured. */
    before?: (studio: Studio, turn: number) => Promise<void>;
    ask: (studio: Studio) => Promise<unknown>;
  },
): Promise<number[]> {
  const spent = studios.map(() => 0);
  for (let turn = -warmUps; turn < times; turn++)
    for (const [i, studio] of studios.entries()) {
      await before?.(studio, turn);
      const since = studio.server.cpuMs();
      await ask(studio);
      if (turn >= 0) spent[i] = spent[i]! + studio.server.cpuMs() - since;
    }
  return spent.map((ms) => ms / times);
}
