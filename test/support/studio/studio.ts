import { onTestFinished } from "vitest";
import type { Message, Run, RunState } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { connect } from "#engine/connections/connect.ts";
import { fal as falAdapter } from "#providers/services/fal/adapter.ts";
import { ollama as ollamaAdapter } from "#providers/services/ollama/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { listAssetsOfRuns } from "#store/content/assets.ts";
import { getMessage, insertConversation } from "#store/content/conversations.ts";
import type { CircuitRow } from "#store/database/schema.ts";
import { listAttempts } from "#store/runs/attempts.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { type FalOptions, startFal } from "../../simulators/fal.ts";
import { startOllama } from "../../simulators/ollama.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { buildConversation, placesOfSimulators } from "../databases/store-rows.ts";
import { type Caller, createInstance, type Instance, until } from "../server/instance.ts";

const ends: readonly RunState[] = ["succeeded", "failed", "cancelled", "unconfirmed"];
export const testAdapters = [openaiCompatible, falAdapter, ollamaAdapter];
/** Models that the OpenAI simulator doesn't list by itself. */
const furtherModels = JSON.stringify([
  { id: "sim-image", task: "image" },
  { id: "sim-speech", task: "speech" },
  { id: "sim-embedding", task: "embedding" },
  { id: "sim-transcription", task: "transcription" },
]);

const smallest = { image_size: { width: 64, height: 64 } };

export type ChatKind = "openai" | "ollama";

/**
 * A Bottega in this process with a person and a connection to each simulator, over real HTTP. If it
 * is created in a test, it ends with the test; if it is created in a hook, the hook has to call
 * `close`.
 */
export async function createStudio(
  database: TestDatabase,
  options: {
    endsWithTest?: boolean;
    fal?: FalOptions;
    instance?: Parameters<typeof createInstance>[1];
  } = {},
) {
  const [openai, fal, ollama] = await Promise.all([
    startOpenAiCompatible(),
    startFal(options.fal),
    startOllama(),
  ]);
  const instance: Instance = await createInstance(database, {
    adapters: testAdapters,
    ...options.instance,
  });
  const close = async (): Promise<void> => {
    // The simulators stop first, because requests that they hold would keep the engine waiting.
    await Promise.all([openai.stop(), fal.stop(), ollama.stop()]);
    await instance.close();
  };
  if (options.endsWithTest) onTestFinished(close);
  const { engine, store } = instance;
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const connectTo = async (kind: string, given: Record<string, string>): Promise<string> => {
    const values = { ...placesOfSimulators, ...given };
    return (
      await connect(engine.deps, {
        kind,
        name: kind,
        scope: "instance",
        userId: person.user.id,
        values,
      })
    ).connection.id;
  };
  const [openaiId, falId, ollamaId] = await Promise.all([
    connectTo("openai-compatible", { api: openai.url, key: openai.key, models: furtherModels }),
    connectTo("fal", fal.values),
    connectTo("ollama", { address: ollama.url }),
  ]);
  const models = {
    openai: { connectionId: openaiId, modelId: "sim-chat" },
    openaiImage: { connectionId: openaiId, modelId: "sim-image" },
    fal: { connectionId: falId, modelId: "sim/flux/dev" },
    ollama: { connectionId: ollamaId, modelId: ollama.models()[0] ?? "" },
  };

  async function startConversation(who: Caller = person): Promise<string> {
    const conversation = await instance.commit((unit) =>
      insertConversation(
        unit,
        buildConversation({
          projectId: who.projectId,
          userId: who.user.id,
          at: instance.deps.clock.now(),
        }),
      ),
    );
    return conversation.id;
  }

  /** Sends a message in a new or given conversation and requests an answer from a model. */
  async function ask(
    text: string,
    on: ChatKind = "openai",
    facts: { idempotencyKey?: string; conversationId?: string } = {},
  ) {
    const conversationId = facts.conversationId ?? (await startConversation());
    const admitted = await admitMessage(
      engine.deps,
      { userId: person.user.id },
      {
        conversationId,
        parentId: null,
        text,
        attachments: [],
        ask: { model: models[on], settings: {} },
        ...(facts.idempotencyKey && { idempotencyKey: facts.idempotencyKey }),
      },
    );
    return {
      conversationId,
      message: admitted.message,
      answer: admitted.answer!,
      run: admitted.run!,
    };
  }

  /** Requests one picture, from fal unless another model is named. */
  async function make(
    prompt: string,
    facts: {
      model?: { connectionId: string; modelId: string };
      input?: JsonObject;
      idempotencyKey?: string;
      who?: Caller;
    } = {},
  ): Promise<Run> {
    const who = facts.who ?? person;
    const { runs } = await admitBatch(
      engine.deps,
      { userId: who.user.id },
      {
        projectId: who.projectId,
        models: [facts.model ?? models.fal],
        task: "image",
        input: {
          prompt,
          ...((facts.model ?? models.fal) === models.fal && smallest),
          ...facts.input,
        },
        variants: 1,
        ...(facts.idempotencyKey && { idempotencyKey: facts.idempotencyKey }),
      },
    );
    return runs[0]!;
  }

  /** A run's ledger entries, in order of booking. */
  const ledgerOf = (runId: string) =>
    store.db.selectFrom("ledger_entry").selectAll().where("run_id", "=", runId).orderBy("id");
  const runOf = async (id: string): Promise<OwnedRun> => (await getRun(store.db, id))!;
  const inState = (id: string, ...states: RunState[]): Promise<OwnedRun> =>
    until(`run ${id} is ${states.join(" or ")}`, async () => {
      const run = await runOf(id);
      if (!states.includes(run.state) && ends.includes(run.state))
        throw new Error(`the run is ${run.state} and not ${states}: ${run.error?.message}`);
      return states.includes(run.state) && run;
    });

  return {
    instance,
    person,
    openai,
    fal,
    ollama,
    models,
    startConversation,
    ask,
    make,
    runOf,
    inState,
    /** Waits until the run has ended or is unconfirmed. */
    ended: (id: string): Promise<OwnedRun> => inState(id, ...ends),
    events: (id: string) => listRunEvents(store.db, id, 0, 5_000),
    attempts: (id: string) => listAttempts(store.db, id),
    assetsOf: (id: string) => listAssetsOfRuns(store.db, [id]),
    messageOf: async (id: string): Promise<Message & { continuesId: string | null }> =>
      (await getMessage(store.db, id))!,
    /** A run's costs in the ledger, without reservations and releases. */
    spentOf: (runId: string) =>
      ledgerOf(runId).where("kind", "not in", ["hold", "release"]).execute(),
    ledgerOf: (runId: string) => ledgerOf(runId).execute(),
    /** Pauses the connection's service for a minute, without checks before then. */
    leaveAlone: (connectionId: string, change: Partial<CircuitRow> = {}) =>
      store.db
        .insertInto("circuit")
        .values({
          connection_id: connectionId,
          model_id: null,
          kind: "quota",
          failures: 1,
          inputs: "",
          opened_at: instance.deps.clock.now(),
          paused_until: instance.deps.clock.now() + 60_000,
          detail: null,
          ...change,
        })
        .execute(),
    /** Clears all circuits, for a test whose faults aren't a series of failures. */
    forgetFailures: () => store.db.deleteFrom("circuit").execute(),
    /** The stored bytes with a hash. */
    async bytesOf(sha256: string): Promise<Buffer> {
      const chunks: Uint8Array[] = [];
      for await (const chunk of await instance.deps.blobs.get(sha256)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    close,
  };
}
export type Studio = Awaited<ReturnType<typeof createStudio>>;

export const textOfMessage = (message: Pick<Message, "parts">): string =>
  message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
