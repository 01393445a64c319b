import { join } from "node:path";
import { v7 as uuid } from "uuid";
import type { ModelRef } from "#contract/entities.ts";
import { updateConnection } from "#store/connections.ts";
import { insertConversation } from "#store/conversations.ts";
import { newOutbox } from "#store/outbox.ts";
import { openSqlite } from "#store/sqlite.ts";
import type { Store } from "#store/store.ts";
import type { Bench } from "./bench.ts";
import { startProvider } from "./provider.ts";
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
  /** The id of a conversation that nothing was said in yet. @throws Error when all were taken */
  nextConversation(): string;
  stop(): Promise<void>;
};

export type StudioOptions = {
  provider: { tokens: number; firstTokenMs: number; betweenMs: number };
  /** Empty conversations that are there from the start, so that making them is not measured. */
  conversations?: number;
  /** Writes further rows while no server is running. */
  seed?: (store: Store, facts: { projectId: string; userId: string; connectionId: string; dataFolder: string }) => Promise<void>;
};

/** Runs of one connection at once; in the product 8 unless its kind says otherwise, here never what is waited for. */
const concurrency = 1_000;

/**
 * A set-up Bottega with a signed-in owner, connected to the fake provider: set up over HTTP, stopped, filled with rows
 * through the store, and started again as it will be measured.
 */
export async function openStudio(bench: Bench, options: StudioOptions): Promise<Studio> {
  const dataFolder = bench.createFolder("data");
  const provider = await startProvider(options.provider);
  const { cookie, projectId, userId, connectionId } = await setUp(bench, dataFolder, provider.url);
  const free = await fill(dataFolder, options, { projectId, userId, connectionId });
  const server = await startBuiltServer(bench.cores, { dataFolder, nodeArgs: bench.serverArgs });
  const session = createSession(server.url, cookie);
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await session.close();
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
    nextConversation() {
      const id = free.pop();
      if (!id) throw new Error("no conversation is left");
      return id;
    },
    stop,
  };
}

async function setUp(bench: Bench, dataFolder: string, providerUrl: string) {
  const server = await startBuiltServer(bench.cores, { dataFolder });
  const session = createSession(server.url);
  try {
    const code = await server.setupCode();
    if (!code) throw new Error("The server printed no set-up link.");
    await session.call("setUp", { body: { name: "Bench", email, password, code, projectName: "Bench", take: [] } });
    const { projects, user } = await session.call("getMe");
    const { connection } = await session.call("createConnection", {
      body: { kind: "openai-compatible", name: "Fake", scope: "instance", values: { api: providerUrl } },
    });
    return { cookie: session.cookie, projectId: projects[0]!.id, userId: user.id, connectionId: connection.id };
  } finally {
    await session.close();
    await server.stop();
  }
}

async function fill(
  dataFolder: string,
  options: StudioOptions,
  facts: { projectId: string; userId: string; connectionId: string },
): Promise<string[]> {
  const store = openSqlite(join(dataFolder, "bottega.db"), { monotonic: () => performance.now() });
  const ids = Array.from({ length: options.conversations ?? 0 }, () => uuid());
  try {
    await store.write(async (tx) => {
      await updateConnection(tx, facts.connectionId, { places: { text: concurrency, media: concurrency } });
      const conversation = { projectId: facts.projectId, userId: facts.userId, title: "Bench", systemPrompt: "", settings: {} };
      for (const id of ids) await insertConversation(tx, newOutbox(), { ...conversation, id, at: Date.now() });
    });
    await options.seed?.(store, { ...facts, dataFolder });
  } finally {
    await store.close();
  }
  return ids;
}
