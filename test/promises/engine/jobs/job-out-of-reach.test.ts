import { expect, it } from "vitest";
import { createChores } from "#engine/recover/chores.ts";
import {
  type CallContext,
  type JobHandle,
  type JobStatus,
  ProviderError,
} from "#providers/adapter.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import {
  createScriptedQueue,
  hourMs,
  jobNotFound,
  minuteMs,
} from "../../../support/services/scripted-queue.ts";

const dayMs = 24 * hourMs;

onSqlite((create) => {
  /**
   * A job that can be found only with its original key and address, and which runs until `done`.
   */
  async function createGuardedQueue() {
    const seen = { done: false, cancels: 0, asked: 0, posts: 0 };
    const guarded =
      <T>(answer: () => T) =>
      async (_handle: JobHandle, { connection }: CallContext): Promise<T> => {
        seen.asked++;
        if (connection.secret !== "first" || connection.addresses.api !== "http://127.0.0.1:1/")
          throw jobNotFound();
        return answer();
      };
    const queue = await createScriptedQueue(
      {
        async submit(_request, context) {
          context.markSent!();
          seen.posts++;
          return { id: "job-1", urls: {} };
        },
        status: guarded((): JobStatus => ({ state: seen.done ? "done" : "running" })),
        result: guarded(() => ({
          files: [{ name: "thing.txt", bytes: Buffer.from("made") }],
          result: {},
          usage: {},
        })),
        cancel: guarded(() => {
          seen.cancels++;
          return true;
        }),
      },
      { database: await create() },
    );
    const id = await queue.make();
    await queue.inState(id, "running");
    return { ...queue, id, seen };
  }

  it.each([
    ["its key is replaced by one of another project", { values: { key: "second" } }],
    ["its address is changed, and its key let go", { values: { api: "http://127.0.0.1:2/" } }],
    ["it is disabled", { disabled: true }],
  ])("a job continues when %s: it is polled as it was sent, too", async (_title, change) => {
    const { instance, connectionId, id, seen, inState, jump } = await createGuardedQueue();
    await instance.engine.changeConnection(connectionId, change);
    const asked = seen.asked;
    await until("it was asked about with both", async () => seen.asked > asked + 4);
    jump.ms += 2 * dayMs;
    seen.done = true;
    await inState(id, "succeeded");
    expect(seen.posts).toBe(1);
  });

  it("a cancel reaches a job whose connection's key was replaced meanwhile", async () => {
    const { instance, connectionId, id, seen } = await createGuardedQueue();
    await instance.engine.changeConnection(connectionId, { values: { key: "second" } });
    await instance.engine.cancelRun(id);
    await until("the provider was told", async () => seen.cancels === 1);
  });

  it("a connection can't be removed while it has a running or unconfirmed job", async () => {
    const { person, connectionId, id, runOf, seen, inState } = await createGuardedQueue();
    expect((await person.call("removeConnection", { params: { connectionId } })).status).toBe(409);
    expect((await runOf(id)).state).toBe("running");
    seen.done = true;
    await inState(id, "succeeded");
    expect((await person.call("removeConnection", { params: { connectionId } })).status).toBe(200);
  });

  /**
   * A job that can't be polled until `mute` is false, at a provider that stores it for this long.
   */
  async function createMuteQueue(jobLifetimeMs?: number) {
    const provider = { isMute: true, asked: 0 };
    const queue = await createScriptedQueue(
      {
        status: async () => {
          provider.asked++;
          if (provider.isMute)
            throw new ProviderError("provider_unreachable", "yes", { message: "Nobody answers." });
          return { state: "done" };
        },
      },
      { database: await create(), kind: { ...(jobLifetimeMs !== undefined && { jobLifetimeMs }) } },
    );
    const id = await queue.make();
    await until("it was asked about", async () => provider.asked === 1);
    return { ...queue, id, provider };
  }

  it.each([
    ["an hour", hourMs],
    ["two days", 2 * dayMs],
    ["a day, where its provider says nothing", undefined],
  ])(
    "a job that can't be polled is unconfirmed after its provider's retention time: %s",
    async (_title, lifetimeMs) => {
      const { id, provider, jump, runOf, inState } = await createMuteQueue(lifetimeMs);
      jump.ms += (lifetimeMs ?? dayMs) - minuteMs;
      await until("it was asked about again", async () => provider.asked === 2);
      expect((await runOf(id)).state).toBe("submitted");
      jump.ms += 2 * minuteMs;
      await inState(id, "unconfirmed");
    },
  );

  it("a job past its provider's documented time, without an end, is unconfirmed at once", async () => {
    const overdue = new ProviderError("output_unavailable", "yes", {
      overdue: true,
      message: "Nothing was written.",
    });
    const { make, inState } = await createScriptedQueue(
      { status: () => Promise.reject(overdue) },
      { database: await create() },
    );
    expect(await inState(await make(), "unconfirmed")).toMatchObject({
      error: { cause: "Nothing was written." },
    });
  });

  it("an unconfirmed job is polled at growing intervals, then daily, for 30 days", async () => {
    const { id, instance, jump, provider, inState, attempts } = await createMuteQueue(hourMs);
    jump.ms += 2 * hourMs;
    await inState(id, "unconfirmed");
    const lostAt = (await attempts(id))[0]!.endedAt!;
    const chores = createChores(instance.engineDeps, "", () => undefined);
    const askedAfter = async (ms: number): Promise<number> => {
      jump.ms = lostAt + ms - Date.now();
      const before = provider.asked;
      await chores();
      return provider.asked - before;
    };
    expect(await askedAfter(hourMs)).toBe(1);
    expect(await askedAfter(hourMs + 5 * minuteMs)).toBe(0);
    expect(await askedAfter(2.1 * hourMs)).toBe(1);
    expect(await askedAfter(2 * dayMs)).toBe(1);
    expect(await askedAfter(2.9 * dayMs)).toBe(0);
    expect(await askedAfter(3.1 * dayMs)).toBe(1);
    expect(await askedAfter(30 * dayMs + hourMs)).toBe(0);
  });

  it("a job that a chore finds again continues", async () => {
    const { id, instance, jump, provider, inState, runOf } = await createMuteQueue(hourMs);
    const { workerId } = await runOf(id);
    jump.ms += 2 * hourMs;
    await inState(id, "unconfirmed");
    provider.isMute = false;
    await createChores(instance.engineDeps, workerId!, () => undefined)();
    await inState(id, "succeeded");
  });
});

it("an answered poll resets the growing intervals", async () => {
  const waits: unknown[] = [];
  const warn = (facts: unknown) => void (hasWait(facts) && waits.push(facts.waitMs));
  let asked = 0;
  const { make, inState } = await createScriptedQueue(
    {
      status: async () => {
        asked++;
        if (asked <= 2 || asked === 4) throw new ProviderError("provider_interrupted", "yes");
        return { state: asked < 5 ? "running" : "done" };
      },
    },
    { log: { info: () => undefined, warn, error: () => undefined } },
  );
  await inState(await make(), "succeeded");
  expect(waits).toEqual([1_000, 2_000, 1_000]);
});

it("a webhook ends the wait after a failed poll", async () => {
  let asked = 0;
  const { make, inState, attempts, instance, connectionId } = await createScriptedQueue(
    {
      status: async () => {
        if (asked++ === 0)
          throw new ProviderError("provider_overloaded", "yes", { retryAfterMs: hourMs });
        return { state: "done" };
      },
    },
    { kind: { webhook: { verify: async () => ({ requestId: "job-1" }) } } },
  );
  const id = await make();
  await until("it was asked about", async () => asked === 1);
  const token = (await attempts(id))[0]!.clientToken;
  await until("it was told", async () => {
    await instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
    await instance.engine.receiveWebhook(
      { connectionId, runId: id, token },
      { headers: new Headers(), body: new Uint8Array() },
    );
    return asked > 1;
  });
  await inState(id, "succeeded");
});

const hasWait = (facts: unknown): facts is { waitMs: number } =>
  typeof facts === "object" && facts !== null && "waitMs" in facts;
