import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "#contract/json.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { secretPlace } from "#engine/connections/open-connection.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import type { Adapter } from "#providers/adapter.ts";
import { insertConversation } from "#store/content/conversations.ts";
import { insertConnection, updateConnection } from "#store/models/connections.ts";
import { putModelPrice, upsertModels } from "#store/models/models.ts";
import { putWorkflow } from "#store/models/workflows.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { buildConnection, buildConversation, buildModel } from "../databases/store-rows.ts";
import { patienceMs } from "../patience.ts";
import { type Caller, createInstance, type Instance } from "../server/instance.ts";
import {
  type Asked,
  type Fault,
  type RequestKind,
  type ServedAnswer,
  startTornProxy,
  type TornProxy,
  type WholeAnswer,
} from "./proxy.ts";
import { isChat, kitLedger, type LedgerEntry, type StartedWay, type TornWay } from "./way.ts";
import { takeWayOn, type WayOn } from "./way-on.ts";

/** A run's cost at its provider, given as its model's price. */
const runMicros = 40_000;
const wordPrices = [
  { unit: "input token", micros: "3" },
  { unit: "output token", micros: "15" },
  { unit: "web search", micros: "10000" },
];

/** The events of a run. */
export type Plan = {
  name: string;
  /** @param number counts paid requests, or polls at one address, from 0 */
  faultOf?(kind: RequestKind, number: number, asked: Asked): Fault | undefined;
  /** Runs while the run is active. */
  meanwhile?(scene: Scene): Promise<void>;
};

export type Scene = {
  world: TornWorld;
  way: TornWay;
  started: StartedWay;
  proxies: TornProxy[];
  connectionId: string;
  /** As created: its addresses lead through the proxies. */
  connection: StartedWay["connection"];
  runId: string;
};

/** The facts of a run that has ended, or that nothing continues. */
export type Fate = {
  run: Awaited<ReturnType<typeof readRun>>;
  text: string;
  /** Saved files. */
  files: number;
  ledger: readonly LedgerEntry[];
  paidAnswer: WholeAnswer | null;
  /** What the program received; null if the connection broke before its head. */
  servedAnswer: ServedAnswer | null;
  /** Requests about the job or its result. */
  questions: number;
  journal: string[];
  /** If it was left unconfirmed: its end after the connection was restored. */
  wayOn: WayOn | null;
};

const readRun = async ({ store }: Instance, id: string) => {
  const row = await store.db
    .selectFrom("run")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const entries = await store.db
    .selectFrom("ledger_entry")
    .select(["kind", "micros"])
    .where("run_id", "=", id)
    .execute();
  const sumOf = (...kinds: string[]): number =>
    entries
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { micros }) => sum + Number(micros), 0);
  return {
    state: row.state,
    task: row.task,
    heldMicros: Number(row.held_micros),
    /** At admission. */
    mostHeldMicros: sumOf("hold"),
    /**
     * According to the ledger: the current reservation, the cost, and the number of settlements.
     */
    books: {
      heldMicros: sumOf("hold", "release"),
      costMicros: sumOf("spend", "overage", "adjust"),
      settlements: entries.filter(({ kind }) => kind === "spend").length,
    },
    costMicros: row.cost_micros === null ? null : Number(row.cost_micros),
    costBasis: row.cost_basis as string | null,
    error: row.error === null ? null : (JSON.parse(row.error) as { code: string; message: string }),
    warnings: JSON.parse(row.warnings) as { type: string; feature: string }[],
    result: row.result === null ? null : (JSON.parse(row.result) as JsonObject),
  };
};

/** States in which nothing continues a run by itself. */
const overStates = ["succeeded", "failed", "cancelled", "unconfirmed"];
export const isOver = (state: string): boolean => overStates.includes(state);

const isPost = ({ method, path }: Asked): boolean => method === "POST" && !path.endsWith("/cancel");

/** One Bottega on SQLite. Each run has a separate provider, proxy and connection. */
export type TornWorld = Awaited<ReturnType<typeof createTornWorld>>;

const publicUrl = "https://torn.example.org";

/** @param options `isReached`: providers may call it at its public address */
export async function createTornWorld(
  database: TestDatabase,
  adapters: readonly Adapter[],
  options: { isReached?: true } = {},
) {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  const instance = await createInstance(database, {
    adapters,
    clock,
    outputRetryMs: [200],
    ...(options.isReached && { publicUrl }),
  });
  const address = options.isReached ? await instance.listen() : "";
  const person: Caller = await instance.createPerson("ada@example.org", { role: "owner" });
  const limit = {
    scope: "instance",
    scopeIds: [null],
    period: "total",
    timeZone: "UTC",
    onLimit: "block",
    limitMicros: 1e12,
  };
  const set = await person.call("setBudgets", { body: limit });
  if (set.status !== 200) throw new Error(JSON.stringify(set.body));
  const { deps } = instance.engine;

  const sealed = (id: string, secret: string | null): string | null =>
    secret === null
      ? null
      : deps.secrets.seal(secret, secretPlace({ id, scope: "instance", scopeId: null }));

  /** Creates a connection with a model, like a person would. */
  async function connect(way: TornWay, open: StartedWay["connection"]): Promise<string> {
    const id = deps.ids();
    const sealedSecret = sealed(id, open.secret);
    const { kind, addresses, options } = open;
    const { id: modelId, inputSchema, capabilities } = way.request.model;
    const model = buildModel({
      connectionId: id,
      modelId,
      tasks: [way.request.task],
      inputSchema,
      capabilities,
      ...(way.contextTokens !== undefined && { limits: { contextTokens: way.contextTokens } }),
    });
    const at = clock.now();
    const { unit = "run", ceilingMicros } = way;
    const price = isChat(way) ? wordPrices : [{ unit, micros: String(runMicros) }];
    const stated = price.map((one) => ({ ...one, source: kind, at }));
    await instance.commit(async ({ tx }) => {
      await insertConnection(
        tx,
        buildConnection({ id, kind, baseUrls: { ...addresses }, options, sealedSecret, at }),
      );
      if (way.workflow)
        await putWorkflow(tx, {
          connectionId: id,
          id: modelId,
          name: "w",
          document: way.workflow,
          updatedBy: person.user.id,
          at,
        });
      await upsertModels(tx, [{ ...model, prices: stated, fetchedAt: at }]);
      if (ceilingMicros !== undefined)
        await putModelPrice(tx, {
          connectionId: id,
          modelId,
          ceilingMicros,
          setBy: person.user.id,
          at,
        });
    });
    return id;
  }

  async function admit(way: TornWay, connectionId: string): Promise<string> {
    const { task, input, files } = way.request;
    const model = { connectionId, modelId: way.request.model.id };
    const asker = { userId: person.user.id };
    const { projectId } = person;
    if (isChat(way)) {
      const conversation = buildConversation({
        projectId,
        userId: person.user.id,
        at: clock.now(),
      });
      await instance.commit((unit) => insertConversation(unit, conversation));
      const sentMessage = {
        conversationId: conversation.id,
        parentId: null,
        text: "say it in a torn world",
        attachments: [],
      };
      const { run } = await admitMessage(instance.engineDeps, asker, {
        ...sentMessage,
        ask: { model, settings: input },
      });
      return run!.id;
    }
    let sent = JSON.stringify(input);
    for (const [id, file] of files) {
      const asset = await saveUpload(instance.engineDeps, {
        projectId,
        userId: person.user.id,
        name: file.name,
        source: await file.open(),
      });
      sent = sent.replaceAll(`asset:${id}`, `asset:${asset.id}`);
    }
    const ask = {
      projectId,
      models: [model],
      task,
      input: JSON.parse(sent) as JsonObject,
      variants: 1,
    };
    return (await admitBatch(instance.engineDeps, asker, ask)).runs[0]!.id;
  }

  const world = {
    instance,
    person,
    now: clock.now,
    /** Advances all of the program's clocks. */
    advance(ms: number): void {
      ahead += ms;
    },
    /** Changes a connection like an admin. */
    async reconnect(
      id: string,
      { addresses, options, secret }: StartedWay["connection"],
    ): Promise<void> {
      const change = { baseUrls: { ...addresses }, options, sealedSecret: sealed(id, secret) };
      await instance.commit(({ tx }) => updateConnection(tx, id, change));
    },
    /**
     * Waits until the run's log reports a failed poll, the run has ended, or `limitMs` have passed;
     * some providers answer "not yet" about unknown jobs.
     */
    async untilAsked(runId: string, limitMs = 4_000): Promise<string> {
      const { db } = instance.store;
      for (const since = performance.now(); ; await sleep(60)) {
        const lines = await db
          .selectFrom("run_event")
          .select("payload")
          .where("run_id", "=", runId)
          .where("type", "=", "log")
          .execute();
        const { state } = await db
          .selectFrom("run")
          .select("state")
          .where("id", "=", runId)
          .executeTakeFirstOrThrow();
        const hasFailed = lines.some(({ payload }) => payload.includes('"warn"'));
        if (hasFailed || isOver(state) || performance.now() - since > limitMs) return state;
      }
    },
    /**
     * Waits until the run is in one of these states, or `limitMs` have passed, because many runs
     * share a busy machine.
     */
    async untilState(runId: string, states: readonly string[], limitMs = 150_000): Promise<string> {
      for (const since = performance.now(); ; await sleep(60)) {
        const { state } = await instance.store.db
          .selectFrom("run")
          .select("state")
          .where("id", "=", runId)
          .executeTakeFirstOrThrow();
        if (states.includes(state) || performance.now() - since > limitMs) return state;
      }
    },
    /** @returns whether its results were saved, before or after the run's end, within `limitMs` */
    async untilKept(runId: string, limitMs = patienceMs): Promise<boolean> {
      const { db } = instance.store;
      for (const since = performance.now(); performance.now() - since < limitMs; await sleep(60)) {
        const outputs = await db
          .selectFrom("output")
          .select("state")
          .where("run_id", "=", runId)
          .execute();
        const { state } = await db
          .selectFrom("run")
          .select("state")
          .where("id", "=", runId)
          .executeTakeFirstOrThrow();
        if (
          isOver(state) &&
          outputs.length > 0 &&
          outputs.every((output) => output.state === "stored")
        )
          return true;
      }
      return false;
    },
    /** One run from its admission to its end, through its own torn connection. */
    async live(way: TornWay, plan: Plan): Promise<Fate> {
      const started = await way.start(clock.now, (url) => url.replace(publicUrl, address));
      const proxies: TornProxy[] = [];
      const swaps: [from: string, to: string][] = [];
      const origins = [
        ...new Set(
          Object.values(started.connection.addresses).map((address) => new URL(address).origin),
        ),
      ];
      const counts = new Map<string, number>();
      let isWhole = false;
      /** Requests before the paid one (a token, an upload, its input's file) meet no fault. */
      const faultOf = (kind: RequestKind, asked: Asked): Fault | undefined => {
        const address = kind === "paid" ? kind : `${asked.method} ${asked.path.split("?", 1)[0]}`;
        if (kind === "question" && !counts.has("paid")) return undefined;
        const number = counts.get(address) ?? 0;
        counts.set(address, number + 1);
        return isWhole ? undefined : plan.faultOf?.(kind, number, asked);
      };
      for (const target of origins) {
        const proxy = await startTornProxy({
          target,
          isPaid: way.isPaid ?? isPost,
          faultOf,
          addresses: () => swaps,
          ...(way.files && { files: { path: "/files-of-the-provider", ...way.files } }),
        });
        proxies.push(proxy);
        swaps.push([target, proxy.origin]);
      }
      if (way.files) swaps.push([way.files.at, `${proxies[0]!.origin}/files-of-the-provider`]);
      const through = (address: string) =>
        swaps.reduce((text, [from, to]) => text.replace(from, to), address);
      const isDirect = (name: string) => started.direct?.includes(name) === true;
      const addresses = Object.fromEntries(
        Object.entries(started.connection.addresses).map(([name, address]) => [
          name,
          isDirect(name) ? address : through(address),
        ]),
      );
      const connection = { ...started.connection, addresses };
      const connectionId = await connect(way, connection);
      const runId = await admit(way, connectionId);
      try {
        await plan.meanwhile?.({ world, way, started, proxies, connectionId, connection, runId });
        await world.untilState(runId, overStates);
        const fate = await fateOf(runId, started, proxies);
        isWhole = true;
        return {
          ...fate,
          wayOn: fate.run.state === "unconfirmed" ? await takeWayOn(world, runId, fate) : null,
        };
      } finally {
        for (const proxy of proxies) await proxy.stop();
        await started.simulator.stop();
      }
    },
    close: () => instance.close(),
  };

  async function fateOf(
    runId: string,
    started: StartedWay,
    proxies: readonly TornProxy[],
  ): Promise<Omit<Fate, "wayOn">> {
    const run = await readRun(instance, runId);
    const message = await instance.store.db
      .selectFrom("message")
      .select("parts")
      .where("run_id", "=", runId)
      .executeTakeFirst();
    const parts = JSON.parse((message?.parts as string | undefined) ?? "[]") as {
      type: string;
      text?: string;
    }[];
    const files = await instance.store.db
      .selectFrom("asset")
      .select("id")
      .where("run_id", "=", runId)
      .execute();
    const journal = proxies.flatMap((proxy) => proxy.journal);
    return {
      run,
      text: parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join(""),
      files: files.length,
      ledger: started.ledger?.() ?? kitLedger(started.simulator.posts),
      paidAnswer:
        proxies.map(({ paidAnswer }) => paidAnswer).find((answer) => answer !== null) ?? null,
      servedAnswer:
        proxies.map(({ servedAnswer }) => servedAnswer).find((answer) => answer !== null) ?? null,
      questions: journal.filter((line) => line.startsWith("question")).length,
      journal,
    };
  }

  return world;
}
