import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { routes } from "#contract/routes/index.ts";
import { packFrame } from "#domain/files/packed-frame.ts";
import { connect } from "#engine/connections/connect.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { fal as falAdapter } from "#providers/services/fal/adapter.ts";
import { insertMember } from "#store/people/projects.ts";
import { type FalSimulator, startFal } from "../simulators/fal.ts";
import { openCanvas, pixel, type TestCanvas } from "../support/browser/canvas.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance, until } from "../support/server/instance.ts";

let instance: Instance;
let sim: FalSimulator;
let url: string;
let owner: Caller;
let eve: Caller;
let falId: string;
const logged: string[] = [];
const note = (facts: object, message: string): void =>
  void logged.push(JSON.stringify([facts, message]));
beforeAll(async () => {
  sim = await startFal();
  instance = await createInstance(await createTestDatabase("sqlite"), {
    adapters: [builtin, falAdapter],
    log: { info: note, warn: note, error: note },
  });
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
  eve = await instance.createPerson("eve@example.org");
  url = await instance.listen();
  const values = {
    kind: "fal",
    name: "fal",
    scope: "user" as const,
    userId: owner.user.id,
    values: sim.values,
  };
  // Only an admin may allow private addresses, for everyone.
  falId = (await connect(instance.engineDeps, { ...values, scope: "instance" })).connection.id;
});
afterAll(async () => {
  await instance.close();
  await sim.stop();
});

const model = () => ({ connectionId: falId, modelId: "sim/klein/realtime" });
async function start(who: Caller, projectId = who.projectId): Promise<TestCanvas> {
  const canvas = await openCanvas(url, who.cookie);
  canvas.say({ start: { projectId, model: model(), settings: { prompt: "x" } } });
  return canvas;
}
const refusal = (promise: Promise<unknown>) =>
  promise.then(() => expect.fail("it was let in"), String);

it("the socket opens only with a session, from the same site and under the server's own name", async () => {
  expect(await refusal(openCanvas(url, ""))).toContain("401");
  expect(await refusal(openCanvas(url, "better-auth.session_token=forged.value"))).toContain("401");
  expect(
    await refusal(openCanvas(url, owner.cookie, { origin: "https://evil.example" })),
  ).toContain("401");
  expect(await refusal(openCanvas(url, owner.cookie, { host: "evil.example" }))).toContain("401");
  const own = await openCanvas(url, owner.cookie, { origin: url });
  own.ws.terminate();
});

it("a session in another person's project is hidden, a viewer's is refused, and neither leaves a run", async () => {
  const hidden = await start(eve, owner.projectId);
  expect((await hidden.heard("failed")).failed.problem.code).toBe("not_found");
  await instance.commit(({ tx }) =>
    insertMember(tx, { projectId: owner.projectId, userId: eve.user.id, role: "viewer", at: 0 }),
  );
  const viewer = await start(eve, owner.projectId);
  expect((await viewer.heard("failed")).failed.problem.code).toBe("forbidden");
  await owner.call("removeMember", { params: { projectId: owner.projectId, userId: eve.user.id } });
  expect(
    await instance.store.db
      .selectFrom("run")
      .select("id")
      .where("user_id", "=", eve.user.id)
      .execute(),
  ).toEqual([]);
  for (const canvas of [hidden, viewer]) canvas.ws.terminate();
});

it("another person's frame can't be pinned, even with its run and number", async () => {
  const canvas = await start(owner);
  const { runId } = (await canvas.heard("started")).started;
  canvas.draw({ prompt: "private" });
  await canvas.frameCame();
  const thief = await openCanvas(url, eve.cookie);
  thief.say({ pin: { runId, frame: 0 } });
  expect((await thief.heard("failed")).failed).toMatchObject({
    of: "pin",
    runId,
    frame: 0,
    problem: { code: "not_found" },
  });
  expect(await instance.store.db.selectFrom("asset").select("id").execute()).toEqual([]);
  for (const { ws } of [canvas, thief]) ws.terminate();
});

it("a frame of an ended session can't be pinned into a project that its person was removed from", async () => {
  const { projectId } = owner;
  await instance.commit(({ tx }) =>
    insertMember(tx, { projectId, userId: eve.user.id, role: "editor", at: 0 }),
  );
  const canvas = await start(eve, projectId);
  const { runId } = (await canvas.heard("started")).started;
  canvas.draw({ prompt: "mine for a while" });
  await canvas.frameCame();
  await owner.call("removeMember", { params: { projectId, userId: eve.user.id } });
  expect((await canvas.heard("ended")).ended).toMatchObject({ runId });
  canvas.say({ pin: { runId, frame: 0 } });
  expect((await canvas.heard("failed")).failed).toMatchObject({
    of: "pin",
    runId,
    frame: 0,
    problem: { code: "forbidden" },
  });
  expect(await instance.store.db.selectFrom("asset").select("id").execute()).toEqual([]);
  canvas.ws.terminate();
});

it("an oversized or malformed message, or a flood, closes the socket and ends its session", async () => {
  const tooLarge = await start(owner);
  const { runId } = (await tooLarge.heard("started")).started;
  tooLarge.draw({ prompt: "x" }, Buffer.alloc(limits.drawingBytes));
  expect(await tooLarge.closed).toBe(1009);
  await until("its session is settled", async () => {
    const run = await instance.store.db
      .selectFrom("run")
      .select("finished_at")
      .where("id", "=", runId)
      .executeTakeFirst();
    return run?.finished_at !== null;
  });
  const nonsense: (string | Uint8Array)[] = [
    "not JSON",
    JSON.stringify({ start: { projectId: "x", model: model(), settings: {} } }),
    JSON.stringify({ stop: true, and: "more" }),
    Buffer.of(0, 0, 0, 200, 1),
    packFrame({ input: -1, settings: {} }, pixel),
    packFrame({ input: 1, settings: {}, mime: "image/svg+xml" }, Buffer.from("<svg/>")),
    packFrame({ input: 1, settings: JSON.parse(`${'{"a":'.repeat(80)}1${"}".repeat(80)}`) }, pixel),
  ];
  for (const message of nonsense) {
    const canvas = await openCanvas(url, owner.cookie);
    canvas.ws.send(message);
    expect(await canvas.closed, String(message).slice(0, 60)).toBe(1008);
  }
  const flood = await openCanvas(url, owner.cookie);
  for (let i = 0; i < 2_000; i++) flood.draw({ prompt: `${i}` }, null);
  expect(await flood.closed).toBe(1008);
});

it("the key and the token stay on the server: neither is in the socket, the books or the log", async () => {
  const canvas = await start(owner);
  const { runId } = (await canvas.heard("started")).started;
  canvas.draw({ prompt: "[sim:line-unauthorized]" });
  await canvas.heard("ended");
  const rows = await Promise.all(
    (["run", "run_event", "attempt", "audit_event"] as const).map((table) =>
      instance.store.db.selectFrom(table).selectAll().execute(),
    ),
  );
  const seen = JSON.stringify([canvas.news, rows, logged]);
  expect(seen).toContain(runId);
  for (const secret of [sim.key, "sim-key-secret", "jwt."]) expect(seen).not.toContain(secret);
  // The token was requested with the key, and the connection was opened with only the token.
  expect(
    sim.ledger.requests.filter((request) => request.includes("tokens")).length,
  ).toBeGreaterThan(0);
  canvas.ws.terminate();
});

it("signing out closes the socket and its session", async () => {
  const cookie = await instance.signIn(owner.user.email, "correct horse battery");
  const canvas = await openCanvas(url, cookie);
  canvas.say({ start: { projectId: owner.projectId, model: model(), settings: { prompt: "x" } } });
  const { runId } = (await canvas.heard("started")).started;
  const { method, path } = routes.signOut;
  expect(
    (await instance.request(path, { method, headers: { host: "127.0.0.1", cookie } })).status,
  ).toBe(200);
  expect(await canvas.closed).toBe(4001);
  await until("it is settled", async () => {
    const run = await instance.store.db
      .selectFrom("run")
      .select("finished_at")
      .where("id", "=", runId)
      .executeTakeFirst();
    return run?.finished_at !== null;
  });
});
