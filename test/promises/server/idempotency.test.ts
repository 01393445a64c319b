import { afterAll, beforeAll, expect, it } from "vitest";
import { builtin } from "#providers/builtin/adapter.ts";
import { getRun } from "#store/runs/runs.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  type Instance,
  until,
} from "../../support/server/instance.ts";

let instance: Instance;
let owner: Caller;
let connectionId: string;
beforeAll(async () => {
  instance = await createInstance(await createTestDatabase("sqlite"), { adapters: [builtin] });
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
  connectionId = ((await owner.call("listConnections")).body as { connections: { id: string }[] })
    .connections[0]!.id;
});
afterAll(() => instance.close());

async function post<T>(
  path: string,
  body: object,
  key?: string,
): Promise<{ status: number; body: T }> {
  const response = await instance.request(path, {
    method: "POST",
    headers: {
      cookie: owner.cookie,
      "content-type": "application/json",
      ...(key && { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as T };
}
type Made = { runs: { id: string }[]; code: string };
const make = (prompt: string, key?: string, more: object = {}) =>
  post<Made>(
    "/api/v1/runs",
    {
      projectId: owner.projectId,
      models: [{ connectionId, modelId: "pattern" }],
      task: "image",
      input: { prompt },
      ...more,
    },
    key,
  );

it("the same Idempotency-Key header and body is the same run, another body is refused", async () => {
  const first = await make("sea", "key-1");
  expect(first.status).toBe(200);
  expect((await make("sea", "key-1")).body.runs[0]!.id).toBe(first.body.runs[0]!.id);
  expect((await make("sea", "key-2")).body.runs[0]!.id).not.toBe(first.body.runs[0]!.id);
  expect((await make("land", "key-1")).body.code).toBe("idempotency_mismatch");
});

it("a key in the body overrides one in the header, and an invalid key is refused", async () => {
  const first = await make("tide", "in-header", { idempotencyKey: "in-body" });
  expect((await make("tide", "in-body")).body.runs[0]!.id).toBe(first.body.runs[0]!.id);
  expect((await make("tide", "k".repeat(201))).status).toBe(422);
});

it("messages, repeated answers and retries accept the header too; a route without keys ignores it", async () => {
  const begun = await post<{ conversation: { id: string } }>(
    "/api/v1/conversations",
    { projectId: owner.projectId },
    "unused",
  );
  expect(begun.status).toBe(200);
  const model = { connectionId, modelId: "guide" };
  const say = () =>
    post<{ message: { id: string }; run: { id: string } }>(
      `/api/v1/conversations/${begun.body.conversation.id}/messages`,
      { parentId: null, text: "hello", ask: { model } },
      "say",
    );
  const said = await say();
  expect((await say()).body.run.id).toBe(said.body.run.id);
  const again = () =>
    post<{ run: { id: string } }>(
      `/api/v1/messages/${said.body.message.id}/answers`,
      { model },
      "again",
    );
  const answered = await again();
  expect(answered.status).toBe(200);
  expect((await again()).body.run.id).toBe(answered.body.run.id);
  const run = (await make("sand")).body.runs[0]!.id;
  await until("it has ended", async () => (await getRun(instance.store.db, run))?.finishedAt);
  // Only failed runs are retried, and the model for this never fails.
  await instance.commit(({ tx }) =>
    tx.updateTable("run").set({ state: "failed" }).where("id", "=", run).execute(),
  );
  const retry = () => post<{ run: { id: string } }>(`/api/v1/runs/${run}/try-again`, {}, "retry");
  const retried = await retry();
  expect(retried.status).toBe(200);
  expect((await retry()).body.run.id).toBe(retried.body.run.id);
});
