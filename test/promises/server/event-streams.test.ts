import { request } from "node:http";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtin } from "#providers/builtin/adapter.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  type Instance,
  until,
} from "../../support/server/instance.ts";

let instance: Instance;
let url: string;
let owner: Caller;
let ended: { id: string; lastSeq: number };

beforeAll(async () => {
  instance = await createInstance(await createTestDatabase("postgres"), { adapters: [builtin] });
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
  url = await instance.listen();
  ended = await makeRun();
});
afterAll(() => instance.close());

async function makeRun(): Promise<{ id: string; lastSeq: number }> {
  const { connections } = (await owner.call("listConnections")).body as {
    connections: { id: string }[];
  };
  const models = [{ connectionId: connections[0]!.id, modelId: "pattern" }];
  const made = await owner.call("createRuns", {
    body: { projectId: owner.projectId, models, task: "image", input: { prompt: "sea" } },
  });
  const { id } = (made.body.runs as { id: string }[])[0]!;
  return until("the run ends", async () => {
    const run = (await owner.call("getRun", { params: { runId: id } })).body.run as {
      id: string;
      state: string;
      lastSeq: number;
    };
    return run.state === "succeeded" && run;
  });
}
const events = (query: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1/runs/${ended.id}/events${query}`, {
    headers: { cookie: owner.cookie, ...headers },
  });

it("a stream's current position overrides the one in its address", async () => {
  const ids = [...(await (await events("?after=0")).text()).matchAll(/^id: (\d+)$/gm)].map(
    (match) => Number(match[1]),
  );
  expect(ids.length).toBeGreaterThan(2);
  const resumed = await (await events("?after=0", { "last-event-id": String(ids[1]) })).text();
  expect([...resumed.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))).toEqual(
    ids.slice(2),
  );
});

it("a stream of an ended run with nothing left answers 204, which ends a browser's reconnecting", async () => {
  expect((await events(`?after=${ended.lastSeq}`)).status).toBe(204);
  expect((await events("", { "last-event-id": String(ended.lastSeq) })).status).toBe(204);
  expect((await events(`?after=${ended.lastSeq - 1}`)).status).toBe(200);
});

it("a client that leaves before a stream starts leaves no listener", async () => {
  const { hub } = instance.deps;
  const subscribe = hub.subscribe;
  let listening = 0;
  // The real hub, counted.
  hub.subscribe = (topic, listener) => {
    const end = subscribe(topic, listener);
    listening += 1;
    return () => {
      listening -= 1;
      end();
    };
  };
  // An active run keeps its streams open.
  await instance.store.db
    .updateTable("run")
    .set({ state: "unconfirmed" })
    .where("id", "=", ended.id)
    .execute();
  const early = request(`${url}/api/v1/runs/${ended.id}/events`, {
    headers: { cookie: owner.cookie },
  });
  const left = new Promise<void>((resolve) =>
    early.on("error", () => undefined).on("close", resolve),
  );
  await instance.store.db.transaction().execute(async (tx) => {
    // Rights are looked up in this table, so the request waits for it until its reader has
    // disconnected.
    await sql`lock table project_member in access exclusive mode`.execute(tx);
    early.end();
    await until("the server waits for the lock", async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(tx);
      return rows.length > 0;
    });
    early.destroy();
    await left;
  });
  const later = new AbortController();
  const stream = await fetch(`${url}/api/v1/runs/${ended.id}/events`, {
    headers: { cookie: owner.cookie },
    signal: later.signal,
  });
  await stream.body!.getReader().read();
  expect(listening).toBeGreaterThan(0);
  later.abort();
  await until("nobody listens", async () => listening === 0);
});
