import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { Clock } from "#domain/runs/ids.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { connect } from "#engine/connections/connect.ts";
import type { Adapter, AnswerPart, RunContext } from "#providers/adapter.ts";
import { listAssetsOfRuns } from "#store/content/assets.ts";
import { insertConversation } from "#store/content/conversations.ts";
import { getRun } from "#store/runs/runs.ts";
import { createTestDatabase, type DatabaseName } from "../databases/databases.ts";
import { buildConversation } from "../databases/store-rows.ts";
import { createInstance, until } from "../server/instance.ts";

export type PaidAnswer = (signal: AbortSignal, context: RunContext) => AsyncIterable<AnswerPart>;

/**
 * A paid service with one model whose answers a test scripts, and a person who uses it. Ends with
 * the test.
 */
export async function createPaidScene(
  task: Task,
  answer: PaidAnswer,
  more: { database?: DatabaseName; job?: Adapter["job"]; clock?: Clock } = {},
) {
  const { database = "sqlite", job, clock } = more;
  let sent = false;
  const adapter: Adapter = {
    kind: "paid",
    name: "Paid",
    summary: "",
    group: "media",
    docs: "",
    fields: [],
    addresses: { api: "http://127.0.0.1:1/" },
    tasks: [task],
    runsOn: "hosted",
    check: async () => ({ message: "" }),
    async *models() {
      const facts = {
        inputModalities: ["text" as const],
        outputModalities: ["text" as const],
        limits: {},
        capabilities: {},
      };
      yield [
        {
          id: "m",
          name: "m",
          tasks: [task],
          inputSchema: null,
          price: null,
          status: "active" as const,
          ...facts,
        },
      ];
    },
    async *answer(_request, context) {
      context.markSent!();
      sent = true;
      yield* answer(context.signal, context);
    },
    ...(job && { job }),
  };
  const instance = await createInstance(await createTestDatabase(database), {
    adapters: [adapter],
    endsWithTest: true,
    ...(clock && { clock }),
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const { connection } = await connect(instance.engineDeps, {
    kind: "paid",
    name: "p",
    scope: "instance",
    userId: person.user.id,
    values: {},
  });
  const { db } = instance.store;
  const model = { connectionId: connection.id, modelId: "m" };
  const current = async (id: string) => (await getRun(db, id))!;
  const make = async (): Promise<string> => {
    const ask = {
      projectId: person.projectId,
      models: [model],
      task,
      input: { prompt: "x" },
      variants: 1,
    };
    return (await admitBatch(instance.engineDeps, { userId: person.user.id }, ask as never))
      .runs[0]!.id;
  };
  const say = async (settings: JsonObject = {}): Promise<string> => {
    const conversation = await instance.commit((unit) =>
      insertConversation(
        unit,
        buildConversation({ projectId: person.projectId, userId: person.user.id, at: Date.now() }),
      ),
    );
    const message = {
      conversationId: conversation.id,
      parentId: null,
      text: "draw",
      attachments: [],
      ask: { model, settings },
    };
    return (await admitMessage(instance.engineDeps, { userId: person.user.id }, message)).run!.id;
  };
  const inState = (id: string, state: string) =>
    until(`the run is ${state}`, async () => {
      const run = await getRun(db, id);
      return run?.state === state && run;
    });
  return {
    instance,
    person,
    model,
    make,
    say,
    inState,
    current,
    wasSent: () => sent,
    assetsOf: (id: string) => listAssetsOfRuns(db, [id]),
  };
}
