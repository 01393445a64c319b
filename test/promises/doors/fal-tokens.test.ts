import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { WebSocket as NodeSocket } from "ws";
import type { KeyScope } from "#contract/key-scopes.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { setModelUsers } from "#store/models/model-access.ts";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { expectRightBooks } from "../../support/databases/right-books.ts";
import { type KeyCaller, until } from "../../support/server/instance.ts";
import { type FalDoor, openFalDoor } from "../../support/studio/fal-door.ts";

const rest = "https://rest.fal.ai";
const byApp = { allowed_apps: ["lcm"], token_expiration: 120 };
const byEndpoint = { allowed_apps: ["sim/klein/realtime"], duration: 120 };

onSqlite((create) => {
  let door: FalDoor;
  const logged: unknown[] = [];
  const record = (...line: unknown[]): void => void logged.push(line);
  beforeAll(async () => {
    const log = { debug: record, info: record, warn: record, error: record };
    door = await openFalDoor(await create(), { instance: { log } });
    const { instance, models } = door.studio;
    const { connectionId } = models.fal;
    await instance.engine.changeConnection(connectionId, {
      values: { realtimeModels: "sim/lcm" },
    });
    await checkConnection(instance.engineDeps, connectionId);
  });
  afterAll(() => door.studio.close());
  afterEach(async () => {
    vi.unstubAllGlobals();
    const { db } = door.studio.instance.store;
    await db.deleteFrom("budget").execute();
    await expectRightBooks(db);
  });

  const { stringify } = JSON;
  const request = async (body: object, { token }: { token: string } = door.key) => {
    const path = "duration" in body ? "/tokens/realtime" : "/tokens/";
    const answer = await door.call(
      `${rest}${path}`,
      { method: "POST", body: stringify(body) },
      token,
    );
    return { status: answer.status, body: await answer.json() };
  };
  const issued = () => [...door.studio.fal.realtime.tokens];
  const expectRefused = async (
    answer: ReturnType<typeof request>,
    status: number,
    detail: RegExp,
    before = issued().length,
  ) => {
    expect(await answer).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
    expect(issued().length).toBe(before);
  };
  const liveRuns = async () => (await door.runs()).filter(({ task }) => task === "live");
  const block = (who: "instance" | "user" | "project", onLimit: string, scopeId: string | null) =>
    door.studio.person.call("setBudgets", {
      body: {
        scope: who,
        scopeIds: [scopeId],
        period: "total",
        timeZone: "UTC",
        limitMicros: 1_000_000_000,
        onLimit,
      },
    });

  it("fal's client opens a realtime model's socket with a token from the proxy", async () => {
    const { realtime, addresses } = door.studio.fal;
    const opened: string[] = [];
    // The client's address is fixed, so its socket is led to the simulator.
    class Led extends NodeSocket {
      constructor(address: string) {
        opened.push(address);
        super(address.replace("wss://fal.run", addresses.realtime));
        this.binaryType = "arraybuffer";
      }
    }
    vi.stubGlobal("WebSocket", Led);
    const results: unknown[] = [];
    const errors: unknown[] = [];
    const connection = door.fal.realtime.connect("sim/lcm", {
      connectionKey: "tokens",
      throttleInterval: 0,
      onResult: (result) => void results.push(result),
      onError: (error) => void errors.push(error),
    });
    connection.send({ prompt: "a lighthouse", seed: 3 });
    await until("a frame arrives", async () => results.length > 0 || errors.length > 0);
    connection.close();
    expect(errors).toEqual([]);
    expect(results).toMatchObject([{ seed: 3, images: [{ content_type: "image/png" }] }]);
    const [token] = issued().at(-1)!;
    expect(opened).toEqual([`wss://fal.run/sim/lcm/realtime?fal_jwt_token=${token}`]);
    expect(realtime.inputs.at(-1)).toMatchObject({ model: "sim/lcm", prompt: "a lighthouse" });
  });

  it("a token is a run of unknown cost with its key, person and model, and is stored nowhere", async () => {
    const known = (await liveRuns()).map(({ id }) => id);
    const answer = await request(byEndpoint);
    expect(answer).toEqual({ status: 201, body: { token: expect.stringMatching(/^jwt\./) } });
    const { token } = answer.body as { token: string };
    const [run, ...more] = (await liveRuns()).filter(({ id }) => !known.includes(id));
    expect([run, more]).toMatchObject([
      {
        state: "succeeded",
        modelId: "sim/klein/realtime",
        connectionId: door.studio.models.fal.connectionId,
        userId: door.studio.person.user.id,
        costMicros: null,
        heldMicros: 0,
        warnings: [
          { type: "note", message: expect.stringMatching(/“sim\/klein\/realtime”.*120 s/) },
        ],
      },
      [],
    ]);
    expect((await door.studio.runOf(run!.id)).apiKeyId).toBe(door.key.id);
    const { body } = await door.studio.person.call<RouteOutput<"listKeys">>("listKeys");
    expect(body.keys.find(({ id }) => id === door.key.id)?.unpricedRuns).toBe(known.length + 1);
    expect(stringify(logged)).not.toContain(token);
    const { db } = door.studio.instance.store;
    const tables = await db.introspection.getTables();
    const rows = await Promise.all(
      tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)),
    );
    expect(stringify(rows)).toContain(run!.id);
    expect(stringify(rows)).not.toContain(token);
  });

  it("a token's run is seen by the project's members and by nobody else", async () => {
    const { instance, person } = door.studio;
    await request(byApp);
    const [{ id } = { id: "" }] = await liveRuns();
    const stranger = await instance.createPerson("stranger@example.org");
    const viewer = await instance.createPerson("viewer@example.org");
    const { projectId } = person;
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: viewer.user.id, role: "viewer", at: 0 }),
    );
    const statusFor = async ({ call }: Pick<KeyCaller, "call">) =>
      (await call("getRun", { params: { runId: id } })).status;
    expect([await statusFor(viewer), await statusFor(stranger)]).toEqual([200, 404]);
  });

  it("a token lives for two minutes at most", async () => {
    const seconds = async (body: object) => {
      expect((await request(body)).status).toBe(201);
      return Math.round((issued().at(-1)![1].expiresAt - Date.now()) / 1_000);
    };
    expect(await seconds({ allowed_apps: ["lcm"], token_expiration: 3_600 })).toBe(120);
    expect(await seconds({ allowed_apps: ["sim/klein/realtime"], duration: 60 })).toBe(60);
    for (const wrong of [0, -1, 1.5, "60"])
      expect(await request({ ...byApp, token_expiration: wrong })).toMatchObject({
        status: 422,
        body: { detail: [{ msg: expect.stringContaining("a whole number of seconds") }] },
      });
  });

  it("a key gets no token without its own scope, and a signed-in page gets none", async () => {
    const { instance, person } = door.studio;
    const scopes: KeyScope[] = ["runs:write", "chat", "assets:write", "models:read", "admin"];
    const key = await instance.createKey(person, { scopes });
    await expectRefused(request(byApp, key), 403, /scope realtime:tokens/);
    const before = issued().length;
    const page = await fetch(`${door.proxyUrl}?projectId=${person.projectId}`, {
      method: "POST",
      headers: {
        cookie: person.cookie,
        origin: door.url,
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
        "x-fal-target-url": `${rest}/tokens/`,
      },
      body: stringify(byApp),
    });
    expect([page.status, issued().length]).toEqual([403, before]);
    const only = await instance.createKey(person, { scopes: ["realtime:tokens"] });
    await expectRefused(request(byApp, only), 403, /runs:write/);
  });

  it("a key gets no token once it is revoked or its person only views the project", async () => {
    const { instance, person } = door.studio;
    const member = await instance.createPerson("member@example.org");
    const { projectId } = person;
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: member.user.id, role: "editor", at: 0 }),
    );
    const key = await instance.createKey(member, { projectId });
    expect((await request(byApp, key)).status).toBe(201);
    const before = issued().length;
    await instance.store.db
      .updateTable("project_member")
      .set({ role: "viewer" })
      .where("user_id", "=", member.user.id)
      .where("project_id", "=", projectId)
      .execute();
    expect((await request(byApp, key)).status).toBe(403);
    const revoked = await instance.createKey(person);
    await person.call("revokeKey", { params: { keyId: revoked.id } });
    expect((await request(byApp, revoked)).status).toBe(401);
    expect(issued().length).toBe(before);
  });

  it("a budget that blocks or requires approval refuses a token, and names itself", async () => {
    const { instance, person } = door.studio;
    const budgets = [
      ["instance", "block", null],
      ["user", "block", person.user.id],
      ["project", "block", person.projectId],
      ["project", "ask", person.projectId],
    ] as const;
    for (const [scope, onLimit, scopeId] of budgets) {
      expect((await block(scope, onLimit, scopeId)).status).toBe(200);
      await expectRefused(request(byApp), 402, /exceed .*budget of \$1,?000.*Draw/);
      await instance.store.db.deleteFrom("budget").execute();
    }
    const budget = { period: "total", timeZone: "UTC", limitMicros: 1, onLimit: "block" } as const;
    const limited = await instance.createKey(person, { name: "Small", budget });
    await expectRefused(request(byApp, limited), 402, /exceed the API key “Small”’s budget/);
    // A ceiling per run bounds a run, but no socket.
    await person.call("setModelPrice", {
      params: { connectionId: door.studio.models.fal.connectionId },
      body: { modelId: "sim/lcm", ceilingMicros: 1 },
    });
    await block("instance", "block", null);
    await expectRefused(request(byApp), 402, /budget/);
    await instance.store.db.deleteFrom("budget").execute();
    await block("instance", "warn", null);
    expect((await request(byApp)).status).toBe(201);
  });

  it("a token opens only realtime models that the key and its person may use", async () => {
    const { instance, person, models } = door.studio;
    const { connectionId } = models.fal;
    const live = { connectionId, modelId: "sim/lcm" };
    const of = (...allowed: (typeof live)[]) => instance.createKey(person, { models: allowed });
    expect(
      (await request({ ...byEndpoint, allowed_apps: ["sim/lcm"] }, await of(live))).status,
    ).toBe(201);
    // An app may have endpoints that are listed nowhere.
    await expectRefused(
      request(byApp, await of(live)),
      403,
      /opens every endpoint.*tokens\/realtime/,
    );
    await expectRefused(request(byApp, await of(models.fal)), 404, /no realtime model at “lcm”/);
    await expectRefused(request(byEndpoint, await of(live)), 404, /no realtime model/);
    const wrong = [["flux"], ["nothing"], ["sim/lcm"], ["%"]];
    for (const apps of wrong)
      expect([apps, (await request({ ...byApp, allowed_apps: apps })).status]).toEqual([
        apps,
        apps[0] === "%" ? 422 : 404,
      ]);
    for (const apps of [[], ["lcm", "klein"], "lcm", [1]])
      expect((await request({ ...byApp, allowed_apps: apps })).status).toBe(422);
    // Rules on models apply too. To a person without access, the model doesn't exist.
    const member = await instance.createPerson("barred@example.org");
    const { projectId } = person;
    await instance.commit(async ({ tx }) => {
      await insertMember(tx, { projectId, userId: member.user.id, role: "editor", at: 0 });
      await setModelUsers(tx, [live], { who: "admins" });
    });
    const barred = await instance.createKey(member, { projectId });
    await expectRefused(request(byApp, barred), 404, /no realtime model/);
    await instance.commit(({ tx }) => setModelUsers(tx, [live], null));
  });

  it("a token for an app is refused if the person may not use all of its models", async () => {
    const { instance, person, models } = door.studio;
    const { connectionId } = models.fal;
    // fal's token names only the alias, so it would open the sibling as well.
    const { db } = instance.store;
    const rename = (from: string, to: string) =>
      db.updateTable("model").set({ model_id: to }).where("model_id", "=", from).execute();
    const sibling = { connectionId, modelId: "sim/klein/transcribe" };
    const setUsers = (who: { who: "admins" } | null) =>
      instance.commit(({ tx }) => setModelUsers(tx, [sibling], who));
    await rename("sim/whisper", sibling.modelId);
    await setUsers({ who: "admins" });
    const { projectId } = person;
    const member = await instance.createPerson("half@example.org");
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: member.user.id, role: "editor", at: 0 }),
    );
    const key = await instance.createKey(member, { projectId });
    const app = { allowed_apps: ["klein"], token_expiration: 120 };
    await expectRefused(request(app, key), 403, /opens every endpoint.*tokens\/realtime/);
    expect((await request(byEndpoint, key)).status).toBe(201);
    expect((await request(app)).status).toBe(201);
    await setUsers(null);
    await rename(sibling.modelId, "sim/whisper");
    // Endpoints that are listed nowhere have the rule of their connection.
    const lcm = { connectionId, modelId: "sim/lcm" };
    await instance.commit(async ({ tx }) => {
      await setModelUsers(tx, [{ connectionId }], { who: "admins" });
      await setModelUsers(tx, [lcm], { who: "everyone" });
    });
    await expectRefused(request(byApp, key), 403, /opens every endpoint.*tokens\/realtime/);
    const alone = { ...byEndpoint, allowed_apps: [lcm.modelId] };
    expect((await request(alone, key)).status).toBe(201);
    expect((await request(byApp)).status).toBe(201);
    await instance.commit(({ tx }) => setModelUsers(tx, [{ connectionId }, lcm], null));
  });

  it("fal's refusals and failures are answered in fal's format, and the run has failed at no cost", async () => {
    const { instance, fal, models } = door.studio;
    const { connectionId } = models.fal;
    const change = (values: Record<string, string>) =>
      instance.engine.changeConnection(connectionId, { values });
    await change({ key: "wrong" });
    const refused = await request(byApp);
    expect(refused.body).toMatchObject({ code: "provider_auth", detail: expect.any(String) });
    const [failed] = await liveRuns();
    expect(failed).toMatchObject({ state: "failed", costMicros: 0 });
    // A refused key pauses the service: nothing more is sent.
    expect((await request(byApp)).status).toBe(503);
    expect((await liveRuns())[0]!.id).toBe(failed!.id);
    await change({ key: fal.key, restAddress: "http://127.0.0.1:9" });
    expect(await request(byApp)).toMatchObject({
      status: 503,
      body: { code: "provider_unreachable" },
    });
    await change({ key: fal.key, restAddress: fal.addresses.rest });
    expect((await request(byApp)).status).toBe(201);
  });
});
