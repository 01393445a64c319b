import { createHash } from "node:crypto";
import { type Dirent, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Message, RunEvent } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { type Behaviour, startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import type { TestDatabase } from "../../support/databases/databases.ts";
import { openStore } from "../../support/databases/test-store.ts";
import { until } from "../../support/server/instance.ts";
import {
  connectKind,
  type RunDetail,
  runOnServer,
  type ServerClient,
  setUpServer,
  shownText,
  watchRun,
} from "../../support/server/server-client.ts";
import { type ServerProcess, startServer } from "../../support/server/server-process.ts";

/** answer: a picture answered directly. job: a picture from a queue. stream: text as it arrives. */
export const kinds = ["answer", "job", "stream"] as const;
export type Kind = (typeof kinds)[number];

/** One run that dies at one point. `mark` is its prompt, which its failpoints match. */
export type Cell = {
  point: string;
  kind: Kind;
  mark: string;
  /** Set once the server has acknowledged the run. */
  runId: string | null;
  watch: ReturnType<typeof watchRun> | null;
};

export type World = Awaited<ReturnType<typeof createWorld>>;

const answerText = ["one", " two", " three", " four", " five"];
export const wholeText = answerText.join("");

/** Simulators that keep running, and a server that is killed and restarted repeatedly. */
export async function createWorld(database: TestDatabase) {
  const [openai, fal] = await Promise.all([
    startOpenAiCompatible({ defaults: { text: answerText } }),
    startFal({ pace: { by: "time", stepMs: 20 } }),
  ]);
  const cells: Cell[] = [];
  const conversations = new Map<string, string>();
  let server: ServerProcess = await startServer({
    dataFolder: database.dataFolder,
    env: database.env,
  });
  let client: ServerClient = await setUpServer(server);
  const further = JSON.stringify([{ id: "sim-image", task: "image" }]);
  // Each cell has a place immediately, so none waits for another.
  const openaiValues = {
    api: openai.url,
    key: openai.key,
    models: further,
    textPlaces: 50,
    mediaPlaces: 50,
  };
  const openaiId = await connectKind(client, "openai-compatible", openaiValues as never);
  const falId = await connectKind(client, "fal", {
    ...fal.values,
    textPlaces: 50,
    mediaPlaces: 50,
  } as never);
  const models: Record<Kind, { connectionId: string; modelId: string }> = {
    answer: { connectionId: openaiId, modelId: "sim-image" },
    job: { connectionId: falId, modelId: "sim/flux/dev" },
    stream: { connectionId: openaiId, modelId: "sim-chat" },
  };
  await server.kill9();
  await setMoney(database);

  async function startConversation(mark: string): Promise<string> {
    const body = { projectId: client.projectId, systemPrompt: mark };
    return (await client.call<{ conversation: { id: string } }>("createConversation", { body }))
      .body.conversation.id;
  }

  /**
   * The request as its client sends it, with the same key each time.
   * @returns the run's id
   * @throws if the server dies during the request
   */
  async function send({ kind, mark }: Cell): Promise<string> {
    const idempotencyKey = `key of ${mark}`;
    if (kind === "stream") {
      const conversationId = conversations.get(mark) ?? (await startConversation(mark));
      conversations.set(mark, conversationId);
      const body = { parentId: null, text: mark, ask: { model: models.stream }, idempotencyKey };
      const said = await client.call<{ run: { id: string } }>("sendMessage", {
        params: { conversationId },
        body,
      });
      return said.body.run.id;
    }
    const input = {
      prompt: mark,
      ...(kind === "job" && { image_size: { width: 64, height: 64 }, seed: 7 }),
    };
    const body = {
      projectId: client.projectId,
      models: [models[kind]],
      task: "image",
      input,
      idempotencyKey,
    };
    const made = await client.call<{ runs: { id: string }[] }>("createRuns", { body });
    return made.body.runs[0]!.id;
  }

  return {
    openai,
    fal,
    cells,
    get client() {
      return client;
    },
    /** Starts the server again. */
    async live(failpoints = ""): Promise<void> {
      server = await startServer({
        dataFolder: database.dataFolder,
        env: { ...database.env, BOTTEGA_FAILPOINTS: failpoints },
      });
      client = client.at(server.url);
    },
    /** Starts a server that ends by itself, at its start or soon after. */
    async liveAndDie(failpoints: string, line: string): Promise<void> {
      const env = { ...database.env, BOTTEGA_FAILPOINTS: failpoints };
      const said = await startServer({ dataFolder: database.dataFolder, env }).then(
        async (living) => {
          expect(await living.ended).toEqual({ code: null, signal: "SIGKILL" });
          return living.output();
        },
        (error: Error) => error.message,
      );
      expect(said).toContain(line);
      expect(said).not.toMatch(/did not start \(code \d/);
    },
    newCell(point: string, kind: Kind, detail = ""): Cell {
      const cell: Cell = {
        point,
        kind,
        mark: `${point} ${kind}${detail}`,
        runId: null,
        watch: null,
      };
      cells.push(cell);
      return cell;
    },
    send,
    /** Requests a cell's run and watches it. */
    async ask(cell: Cell, behaviour?: Behaviour): Promise<void> {
      if (behaviour) openai.script(behaviour);
      cell.runId = await send(cell);
      cell.watch = watchRun(client, cell.runId);
      // Scripts are taken in the order of the POSTs.
      if (behaviour) await until(`${cell.mark} was sent`, async () => postsOf(cell) > 0);
    },
    /** Waits until the server is halted at this point. */
    reached: (line: string) => until(`"${line}"`, async () => server.output().includes(line)),
    /** Waits until the server kills itself at a failpoint. */
    async dies(line: string): Promise<void> {
      await until(
        `the server dies of "${line}", after:\n${server.output()}`,
        async () => server.child.signalCode !== null,
      );
      expect(await server.ended).toEqual({ code: null, signal: "SIGKILL" });
      expect(server.output()).toContain(line);
      await watchersEnd();
    },
    /** Kills the halted server from outside. */
    async kill(): Promise<void> {
      await server.kill9();
      expect(await server.ended).toEqual({ code: null, signal: "SIGKILL" });
      await watchersEnd();
    },
    postsOf,
    billedOf,
    detail: (cell: Cell): Promise<RunDetail> => runOnServer(client, cell.runId!),
    async messageOf(cell: Cell): Promise<Message> {
      const params = { conversationId: conversations.get(cell.mark)! };
      const shown = await client.call<{ messages: Message[] }>("getConversation", { params });
      return shown.body.messages.find((message) => message.role === "assistant")!;
    },
    /** The text of a cell's run that is in its log. */
    async written(cell: Cell): Promise<string> {
      const params = { runId: cell.runId! };
      const log = await client.call<{ events: RunEvent[] }>("listRunEvents", { params });
      return shownText(log.body.events);
    },
    balance: () => readBalance(database),
    books: (runId?: string) => readBooks(database, runId),
    keptFiles: () => readKeptFiles(join(database.dataFolder, "blobs")),
    async close(): Promise<void> {
      await Promise.all([openai.stop(), fal.stop()]);
      await server.kill9();
    },
  };

  function watchersEnd() {
    return Promise.all(cells.map((cell) => cell.watch?.ended));
  }
  function openaiPosts({ mark }: Cell) {
    return openai.posts.filter((post) => JSON.stringify(post.body).includes(`"${mark}"`));
  }
  function postsOf(cell: Cell): number {
    return cell.kind === "job" ? fal.ledger.postsOf(cell.mark) : openaiPosts(cell).length;
  }
  function billedOf(cell: Cell): number {
    if (cell.kind === "job")
      return fal.ledger.billed.filter((bill) => bill.prompt === cell.mark).length;
    return openaiPosts(cell).filter((post) => post.billed).length;
  }
}

/**
 * Sets a price, because the OpenAI simulator has none and its runs have to reserve something, and a
 * budget that includes everything.
 */
async function setMoney(database: TestDatabase): Promise<void> {
  const store = openStore(database);
  const price = (unit: string, micros: string) => ({ unit, micros, source: "test", at: 0 });
  const prices = {
    "sim-chat": [price("input token", "3"), price("output token", "15")],
    "sim-image": [price("image", "40000")],
  };
  await store.write(async (tx) => {
    for (const [id, of] of Object.entries(prices))
      await tx
        .updateTable("model")
        .set({ price: JSON.stringify(of) })
        .where("model_id", "=", id)
        .execute();
    await tx
      .insertInto("budget")
      .values({
        id: "budget",
        scope: "instance",
        scope_id: null,
        period: "total",
        time_zone: "UTC",
        limit_micros: 1_000_000_000,
        on_limit: "block",
        authority: "admin",
        created_by: null,
        created_at: 0,
      })
      .execute();
  });
  await store.close();
}

/** The budget's reserved and spent amounts. */
async function readBalance(
  database: TestDatabase,
): Promise<{ heldMicros: number; spentMicros: number }> {
  const store = openStore(database);
  const row = await store.read.selectFrom("balance").selectAll().executeTakeFirstOrThrow();
  await store.close();
  return { heldMicros: Number(row.held_micros), spentMicros: Number(row.spent_micros) };
}

export type Entry = { run: string; kind: string; micros: number; settles: boolean };
/** The current ledger, of one run or complete. */
async function readBooks(database: TestDatabase, runId?: string): Promise<Entry[]> {
  const store = openStore(database);
  const rows = await store.read.selectFrom("ledger_entry").selectAll().orderBy("id").execute();
  await store.close();
  return rows
    .filter((row) => runId === undefined || row.run_id === runId)
    .map((row) => ({
      run: row.run_id ?? "",
      kind: row.kind,
      micros: Number(row.micros),
      settles: row.settlement !== null,
    }));
}

/** Every file stored under a hash, with its actual hash. */
function readKeptFiles(folder: string): { name: string; hash: string }[] {
  if (!existsSync(folder)) return [];
  const isKept = (entry: Dirent): boolean => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(isKept)
    .map((entry) => ({
      name: entry.name,
      hash: createHash("sha256")
        .update(readFileSync(join(entry.parentPath, entry.name)))
        .digest("hex"),
    }));
}
