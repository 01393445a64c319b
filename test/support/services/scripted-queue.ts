import type { RunState } from "#contract/entities.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { connect } from "#engine/connections/connect.ts";
import type { Log } from "#engine/deps.ts";
import { type Adapter, type JobAdapter, ProviderError } from "#providers/adapter.ts";
import { lostJob } from "#providers/wire/job-errors.ts";
import { listAssetsOfRuns } from "#store/content/assets.ts";
import { listAttempts } from "#store/runs/attempts.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import { getRun } from "#store/runs/runs.ts";
import { createTestDatabase, type TestDatabase } from "../databases/databases.ts";
import { createInstance, until } from "../server/instance.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** A provider's answer about a job that it doesn't find. */
export const jobNotFound = () =>
  lostJob(
    new ProviderError("provider_protocol", "no", {
      httpStatus: 404,
      providerMessage: "No such job.",
    }),
  );

/**
 * A Bottega with one queue whose every answer the test gives, under a clock that the test advances
 * through `jump.ms`.
 * @param job overrides of the queue, which by default accepts a job, completes it immediately, and
 *   returns one text file
 */
export async function createScriptedQueue(
  job: Partial<JobAdapter>,
  {
    database,
    kind = {},
    log,
  }: { database?: TestDatabase; kind?: Partial<Adapter>; log?: Log } = {},
) {
  const jump = { ms: 0 };
  const clock = { now: () => Date.now() + jump.ms, monotonic: () => performance.now() + jump.ms };
  const adapter: Adapter = {
    kind: "queue",
    name: "Queue",
    summary: "",
    group: "media",
    docs: "",
    fields: [
      { name: "key", label: "Key", kind: "secret", required: false },
      { name: "api", label: "Address", kind: "url", required: false, address: "api" },
    ],
    addresses: { api: "http://127.0.0.1:1/" },
    tasks: ["other"],
    runsOn: "hosted",
    check: async () => ({ message: "" }),
    async *models() {
      const limits = {
        inputModalities: ["text" as const],
        outputModalities: ["file" as const],
        limits: {},
        capabilities: {},
      };
      yield [
        {
          id: "m",
          name: "m",
          tasks: ["other" as const],
          inputSchema: null,
          price: null,
          status: "active" as const,
          ...limits,
        },
      ];
    },
    ...kind,
    job: {
      async submit(_request, context) {
        context.markSent!();
        return { id: "job-1", urls: {} };
      },
      status: async () => ({ state: "done" }),
      result: async () => ({
        files: [{ name: "thing.txt", bytes: Buffer.from("made") }],
        result: {},
        usage: {},
      }),
      cancel: async () => true,
      handleOf: (id) => ({ id, urls: {} }),
      ...job,
    },
  };
  const instance = await createInstance(database ?? (await createTestDatabase("sqlite")), {
    adapters: [adapter],
    endsWithTest: true,
    clock,
    ...(log && { log }),
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const { connection } = await connect(instance.engineDeps, {
    kind: "queue",
    name: "q",
    scope: "instance",
    userId: person.user.id,
    values: { key: "first" },
  });
  const { db } = instance.store;
  const runOf = async (id: string) => (await getRun(db, id))!;
  return {
    instance,
    person,
    connectionId: connection.id,
    jump,
    runOf,
    attempts: (id: string) => listAttempts(db, id),
    events: (id: string) => listRunEvents(db, id, 0, 5_000),
    assetsOf: (id: string) => listAssetsOfRuns(db, [id]),
    async make(prompt = "x"): Promise<string> {
      const models = [{ connectionId: connection.id, modelId: "m" }];
      const ask = {
        projectId: person.projectId,
        models,
        task: "other" as const,
        input: { prompt },
        variants: 1,
      };
      return (await admitBatch(instance.engineDeps, { userId: person.user.id }, ask)).runs[0]!.id;
    },
    inState: (id: string, state: RunState) =>
      until(`the run is ${state}`, async () => {
        const run = await runOf(id);
        return run.state === state && run;
      }),
    /** Advances the time in steps of ten minutes until the run is in a state. */
    passTo: (id: string, state: RunState) =>
      until(`the run is ${state}`, async () => {
        if ((await runOf(id)).state === state) return runOf(id);
        jump.ms += 10 * minuteMs;
        return false;
      }),
  };
}
