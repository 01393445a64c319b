import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { ApiKey, Budget, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { hashKey } from "#server/auth/bearer.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import {
  createTestClock,
  type KeyCaller,
  type TestClock,
  until,
} from "../support/server/instance.ts";
import { createStudio, type Studio } from "../support/studio/studio.ts";

type Made = { key: ApiKey & { budgets: Budget[] }; token: string };
const picture = (studio: Studio, prompt = "a quay") => ({
  projectId: studio.person.projectId,
  models: [studio.models.fal],
  task: "image",
  input: { prompt, image_size: { width: 64, height: 64 } },
});

forEachDatabase((_, create) => {
  let studio: Studio;
  let url: string;
  beforeAll(async () => {
    studio = await createStudio(await create());
    url = await studio.instance.listen();
  });
  afterAll(() => studio.close());
  const statusOf = async (
    key: Pick<KeyCaller, "token">,
    headers: Record<string, string> = {},
  ): Promise<number> =>
    (
      await studio.instance.request("/api/v1/me", {
        headers: { authorization: `Bearer ${key.token}`, ...headers },
      })
    ).status;

  it("a key is shown once and stored as a hash", async () => {
    const { person, instance } = studio;
    const body = {
      name: "Poster script",
      projectId: person.projectId,
      scopes: ["runs:write", "chat"],
    };
    const { key, token } = (await person.call<Made>("createKey", { body })).body;
    expect(token).toMatch(/^bottega_[0-9a-f]{48}$/);
    expect(token.startsWith(key.prefix)).toBe(true);
    expect(key).toMatchObject({
      scopes: ["chat", "runs:write"],
      lastUsedAt: null,
      ratePerMinute: limits.keyRatePerMinute,
    });
    const row = await instance.store.db
      .selectFrom("api_key")
      .selectAll()
      .where("id", "=", key.id)
      .executeTakeFirstOrThrow();
    expect(row.hash).toBe(hashKey(token));
    expect(JSON.stringify(row)).not.toContain(token);
    expect(JSON.stringify((await person.call("listKeys")).body)).not.toContain(token);
    expect(await statusOf({ token })).toBe(200);
    expect(await statusOf({ token: `${token.slice(0, -1)}x` })).toBe(401);
    expect(await statusOf({ token: "" })).toBe(401);
  });

  it("a key's use is recorded, but not at every call", async () => {
    const key = await studio.instance.createKey(studio.person);
    const usedAt = async () =>
      (await studio.person.call<{ keys: ApiKey[] }>("listKeys")).body.keys.find(
        ({ id }) => id === key.id,
      )?.lastUsedAt ?? undefined;
    await key.call("getMe");
    const first = await until("the use is noted", usedAt);
    await key.call("getMe");
    await key.call("getMe");
    expect(await usedAt()).toBe(first);
  });

  it("cookies never mix with a key: a wrong key is refused even with a good cookie, and a good key acts alone", async () => {
    const { cookie } = studio.person;
    expect(await statusOf({ token: "bottega_nothing" }, { cookie })).toBe(401);
    const key = await studio.instance.createKey(studio.person, { scopes: ["models:read"] });
    const answer = await studio.instance.request(
      `/api/v1/runs?projectId=${studio.person.projectId}`,
      {
        headers: { authorization: `Bearer ${key.token}`, cookie },
      },
    );
    expect(answer.status).toBe(403);
    // Another scheme is for proxies, not for us.
    expect(
      (
        await studio.instance.request("/api/v1/me", {
          headers: { authorization: "Basic eDp5", cookie },
        })
      ).status,
    ).toBe(200);
  });

  it("the origin check applies to cookies, not to keys", async () => {
    const key = await studio.instance.createKey(studio.person);
    const asked = { method: "POST", body: JSON.stringify({ projectId: studio.person.projectId }) };
    const headers = {
      origin: "https://elsewhere.example",
      "sec-fetch-site": "cross-site",
      "content-type": "application/json",
    };
    const send = (credentials: Record<string, string>) =>
      studio.instance.request("/api/v1/conversations", {
        ...asked,
        headers: { ...headers, ...credentials },
      });
    expect((await send({ authorization: `Bearer ${key.token}` })).status).toBe(200);
    expect((await send({ cookie: studio.person.cookie })).status).toBe(403);
  });

  it("a revoked key ends at once, with its open event stream and socket", async () => {
    const key = await studio.instance.createKey(studio.person);
    studio.fal.script("a held quay", "hold-queue");
    const { runs } = (
      await key.call<{ runs: Run[] }>("createRuns", { body: picture(studio, "a held quay") })
    ).body;
    const authorization = `Bearer ${key.token}`;
    const stream = await fetch(`${url}/api/v1/runs/${runs[0]!.id}/events`, {
      headers: { authorization },
    });
    expect(stream.status).toBe(200);
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, {
      headers: { authorization },
    });
    await once(socket, "open");
    const closed = once(socket, "close");
    expect((await studio.person.call("revokeKey", { params: { keyId: key.id } })).status).toBe(200);
    expect(await statusOf(key)).toBe(401);
    expect((await closed)[0]).toBe(4001);
    // The stream ends by itself, so reading to its end doesn't wait for the run.
    await stream.text();
    studio.fal.release("a held quay");
    expect((await studio.person.call("revokeKey", { params: { keyId: key.id } })).status).toBe(404);
  });

  it("a rotated key stays the same key with a new secret", async () => {
    const key = await studio.instance.createKey(studio.person, { name: "nightly" });
    const rotated = (await studio.person.call<Made>("rotateKey", { params: { keyId: key.id } }))
      .body;
    expect(rotated.key).toMatchObject({ id: key.id, name: "nightly" });
    expect(rotated.token).not.toBe(key.token);
    expect([await statusOf(key), await statusOf(rotated)]).toEqual([401, 200]);
  });

  it("keys of suspended people, former members and archived projects are dead", async () => {
    const { instance, person } = studio;
    const eve = await instance.createPerson("eve@example.org");
    const { projectId } = person;
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: eve.user.id, role: "editor", at: 0 }),
    );
    const [own, shared] = [
      await instance.createKey(eve),
      await instance.createKey(eve, { projectId }),
    ];
    expect([await statusOf(own), await statusOf(shared)]).toEqual([200, 200]);
    await eve.call("updateProject", {
      params: { projectId: eve.projectId },
      body: { archived: true },
    });
    expect([await statusOf(own), await statusOf(shared)]).toEqual([401, 200]);
    await person.call("removeMember", { params: { projectId, userId: eve.user.id } });
    expect(await statusOf(shared)).toBe(401);
    const { keys } = (await eve.call<{ keys: (ApiKey & { asleep: string })[] }>("listKeys")).body;
    expect(keys.map(({ asleep }) => asleep)).toEqual(["not-member", "project-archived"]);
    await eve.call("updateProject", {
      params: { projectId: eve.projectId },
      body: { archived: false },
    });
    expect(await statusOf(own)).toBe(200);
    await person.call("updatePerson", {
      params: { userId: eve.user.id },
      body: { status: "suspended" },
    });
    expect(await statusOf(own)).toBe(401);
  });

  it("only an admin changes another person's keys: they can revoke them but never see them", async () => {
    const { instance, person } = studio;
    const max = await instance.createPerson("max@example.org");
    const key = await instance.createKey(max, { name: "max's" });
    const params = { keyId: key.id };
    for (const name of ["updateKey", "rotateKey", "revokeKey", "setKeyBudget"] as const) {
      const body =
        name === "updateKey"
          ? { name: "x" }
          : { period: "total", timeZone: "UTC", limitMicros: 1, onLimit: "block" };
      const given = name === "updateKey" || name === "setKeyBudget" ? { params, body } : { params };
      expect([name, (await person.call(name, given)).status]).toEqual([name, 404]);
    }
    const listed = await person.call<{ keys: object[] }>("listAllKeys");
    expect(listed.body.keys).toContainEqual(
      expect.objectContaining({ id: key.id, name: "max's", ownerName: "max" }),
    );
    expect(JSON.stringify(listed.body)).not.toMatch(/hash/);
    expect((await max.call("revokeAnyKey", { params })).status).toBe(403);
    expect((await person.call("revokeAnyKey", { params })).status).toBe(200);
    expect(await statusOf(key)).toBe(401);
    const audited = await instance.store.db
      .selectFrom("audit_event")
      .select("actor_id")
      .where("target_id", "=", key.id)
      .execute();
    expect(audited.map(({ actor_id }) => actor_id)).toEqual([max.user.id, person.user.id]);
  });

  it("a run names the key that started it, and a key's budget blocks and names the key", async () => {
    const { instance, person } = studio;
    const budget = { period: "total", timeZone: "UTC", limitMicros: 1, onLimit: "block" } as const;
    const key = await instance.createKey(person, { name: "Poster script", budget });
    const refused = await key.call("createRuns", { body: picture(studio) });
    expect(refused.status).toBe(402);
    expect(refused.body.detail).toMatch(/the API key “Poster script”’s budget of/);
    expect(refused.body.advice).toMatch(/API keys/);
    const before = await instance.store.db
      .selectFrom("run")
      .select("id")
      .where("api_key_id", "=", key.id)
      .execute();
    expect(before).toEqual([]);
    // The person's own runs don't count.
    expect((await person.call("createRuns", { body: picture(studio) })).status).toBe(200);
    const raised = await person.call("setKeyBudget", {
      params: { keyId: key.id },
      body: { ...budget, limitMicros: 10_000_000 },
    });
    expect(raised.status).toBe(200);
    const { runs } = (await key.call<{ runs: Run[] }>("createRuns", { body: picture(studio) }))
      .body;
    const run = await studio.ended(runs[0]!.id);
    expect([run.state, run.apiKeyId]).toEqual(["succeeded", key.id]);
    const { keys } = (await person.call<{ keys: Made["key"][] }>("listKeys")).body;
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({ spentMicros: run.costMicros });
    expect(keys.find(({ id }) => id === key.id)?.budgets).toEqual([
      expect.objectContaining({ spentMicros: run.costMicros, heldMicros: 0 }),
    ]);
  });

  it("a key that is limited to models lists and starts only these, as of the admission of its runs", async () => {
    const { person, instance, models } = studio;
    const key = await instance.createKey(person, { models: [models.fal] });
    const start = (model: { connectionId: string; modelId: string }) =>
      key.call("createRuns", {
        body: { ...picture(studio), models: [model], input: { prompt: "a quay" } },
      });
    expect((await start(models.fal)).status).toBe(200);
    expect((await start(models.openaiImage)).status).toBe(403);
    const get = async (path: string) => {
      const response = await fetch(`${url}/v1${path}`, {
        headers: { authorization: `Bearer ${key.token}` },
      });
      return { status: response.status, body: await response.json() };
    };
    const listed = (await get("/models")).body as { data: { id: string; model_id: string }[] };
    expect(listed.data.map(({ model_id: id }) => id)).toEqual([models.fal.modelId]);
    const all = await instance.createKey(person);
    const known = (await (
      await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${all.token}` } })
    ).json()) as typeof listed;
    const other = known.data.find(({ model_id: id }) => id === models.openai.modelId)!;
    const hidden = await get(`/models/${other.id}`);
    expect(hidden.status).toBe(404);
    expect(JSON.stringify(hidden.body).replace(other.id, "")).not.toContain(other.id);
    const { keys } = (await person.call<{ keys: Made["key"][] }>("listKeys")).body;
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({
      models: [{ ...models.fal, name: expect.any(String) }],
    });
    // A program admitted before its key was limited starts nothing with another model.
    const late = admitBatch(
      instance.engine.deps,
      { userId: person.user.id, key: { id: key.id } },
      {
        ...picture(studio),
        models: [models.openaiImage],
        input: { prompt: "x" },
        task: "image",
        variants: 1,
      },
    );
    await expect(late).rejects.toMatchObject({ code: "forbidden" });
    const params = { keyId: key.id };
    expect((await person.call("updateKey", { params, body: { models: null } })).status).toBe(200);
    expect((await start(models.openaiImage)).status).toBe(200);
    const unknown = [{ connectionId: models.fal.connectionId, modelId: "none" }];
    expect(
      (await person.call("updateKey", { params, body: { models: unknown } })).body,
    ).toMatchObject({
      code: "invalid_input",
      field: "models.0",
    });
  });

  it("a key over its rate gets Retry-After, and no other key waits for it", async () => {
    const [fast, slow] = [
      await studio.instance.createKey(studio.person),
      await studio.instance.createKey(studio.person, { ratePerMinute: 3 }),
    ];
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await slow.call("getMe"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await fast.call("getMe")).status).toBe(200);
  });
});

forEachDatabase((_, create) => {
  it("a key expires, and can't be created with a past expiry", async () => {
    const clock: TestClock = createTestClock(Date.now());
    const { instance, person } = await createStudio(await create(), {
      endsWithTest: true,
      instance: { clock },
    });
    const body = {
      name: "k",
      projectId: person.projectId,
      scopes: ["chat"],
      expiresAt: clock.now(),
    };
    expect((await person.call("createKey", { body })).body).toMatchObject({
      code: "invalid_input",
      field: "expiresAt",
    });
    const key = await instance.createKey(person, { expiresAt: clock.now() + 1_000 });
    expect((await key.call("getMe")).status).toBe(200);
    clock.advance(1_000);
    expect((await key.call("getMe")).status).toBe(401);
  });
});
