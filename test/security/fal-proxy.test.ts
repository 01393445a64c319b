import { afterAll, beforeAll, expect, it } from "vitest";
import type { KeyScope } from "#contract/key-scopes.ts";
import { connect } from "#engine/connections/connect.ts";
import { insertConnection } from "#store/models/connections.ts";
import { setModelUsers } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import { updateUser } from "#store/people/people.ts";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../support/databases/databases.ts";
import { buildConnection } from "../support/databases/store-rows.ts";
import { until } from "../support/server/instance.ts";
import { type FalDoor, falModel, openFalDoor, smallPicture } from "../support/studio/fal-door.ts";

const app = "https://app.example.org";
const submitTo = { "x-fal-target-url": `https://queue.fal.run/${falModel}` };
const json = { "content-type": "application/json" };

onSqlite((create) => {
  let door: FalDoor;
  beforeAll(async () => {
    door = await openFalDoor(await create());
    const { instance, models } = door.studio;
    await instance.engine.changeConnection(models.fal.connectionId, {
      values: { appOrigins: `https://other.example.org, ${app}/` },
    });
  });
  afterAll(() => door.studio.close());
  const bodyOf = (prompt: string) => JSON.stringify({ prompt, ...smallPicture });
  const linkOf = async (prompt: string, fal = door.fal): Promise<string> => {
    const { data } = await fal.subscribe(falModel, { input: { prompt, ...smallPicture } });
    return (data as { images: { url: string }[] }).images[0]!.url;
  };
  const uploadUrl = async (name = "a.txt"): Promise<string> => {
    const target = "https://rest.fal.ai/storage/upload/initiate?storage_type=fal-cdn-v3";
    const begun = await door.call(target, {
      method: "POST",
      body: JSON.stringify({ file_name: name, content_type: "text/plain" }),
    });
    return ((await begun.json()) as { upload_url: string }).upload_url;
  };
  const statusOf = async (url: string | URL, init?: RequestInit): Promise<number> =>
    (await fetch(url, init)).status;

  it("a signed-in person's own page runs under their session, in the named project, and another site's page doesn't", async () => {
    const { person, fal } = door.studio;
    const url = `${door.proxyUrl}?projectId=${person.projectId}`;
    const send = (prompt: string, headers: Record<string, string>, to = url) =>
      fetch(to, {
        method: "POST",
        headers: { cookie: person.cookie, ...submitTo, ...json, ...headers },
        body: bodyOf(prompt),
      });
    const own = await send("from our page", { origin: door.url, "sec-fetch-site": "same-origin" });
    const { request_id: id } = (await own.json()) as { request_id: string };
    expect(await door.studio.ended(id)).toMatchObject({
      userId: person.user.id,
      apiKeyId: null,
      state: "succeeded",
    });
    const forgeries: Record<string, string>[] = [
      { origin: app },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const forged of forgeries)
      expect((await send("from another page", forged)).status).toBe(403);
    expect((await send("from nowhere", {}, door.proxyUrl)).status).toBe(422);
    expect((await send("from a stranger", {}, `${door.proxyUrl}?projectId=${id}`)).status).toBe(
      404,
    );
    const said = fal.ledger.posts
      .map(({ prompt }) => prompt)
      .filter((prompt) => prompt.startsWith("from "));
    expect(said).toEqual(["from our page"]);
  });

  it("a key limited to models can't see others: each answers as missing", async () => {
    const { instance, person, models } = door.studio;
    const limited = await instance.createKey(person, { models: [models.openaiImage] });
    const url = submitTo["x-fal-target-url"];
    const ask = (key: { token: string }, target: string, prompt: string) =>
      door.call(target, { method: "POST", body: bodyOf(prompt) }, key.token);
    const known = await ask(limited, url, "outside of the list");
    const unknown = await ask(limited, `${url}-none`, "of no model");
    expect([known.status, unknown.status]).toEqual([404, 404]);
    expect(await known.text()).toBe((await unknown.text()).replace(`${falModel}-none`, falModel));
    const own = await instance.createKey(person, { models: [models.fal] });
    const allowed = await ask(own, url, "within the list");
    expect(allowed.status).toBe(200);
  });

  it("pages of origins that an admin named may use a key, no others, and none are asked for cookies", async () => {
    const preflight = (origin: string) =>
      fetch(door.proxyUrl, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers":
            "authorization,content-type,x-fal-target-url,x-fal-queue-priority,cookie",
        },
      });
    const allowed = await preflight(app);
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
      204,
      app,
    ]);
    expect(allowed.headers.get("access-control-allow-headers")).toBe(
      "authorization, content-type, x-fal-target-url, x-fal-queue-priority",
    );
    expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await preflight("https://evil.example");
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      403,
      null,
    ]);
    const answer = async (origin: string) =>
      door.call(submitTo["x-fal-target-url"], {
        method: "POST",
        headers: { origin },
        body: bodyOf("from an app"),
      });
    const own = await answer(app);
    expect([
      own.status,
      own.headers.get("access-control-allow-origin"),
      own.headers.get("vary"),
    ]).toEqual([200, app, "origin"]);
    expect(
      (await answer("https://evil.example")).headers.get("access-control-allow-origin"),
    ).toBeNull();
    // Errors are readable there too, and so is a stream.
    const wrong = await door.call("https://evil.example/x", {
      method: "POST",
      headers: { origin: app },
      body: "{}",
    });
    expect([wrong.status, wrong.headers.get("access-control-allow-origin")]).toEqual([422, app]);
    const { request_id: id } = (await own.json()) as { request_id: string };
    const stream = await door.call(`https://queue.fal.run/sim/flux/requests/${id}/status/stream`, {
      headers: { origin: app },
    });
    expect([
      stream.headers.get("content-type"),
      stream.headers.get("access-control-allow-origin"),
    ]).toEqual(["text/event-stream; charset=utf-8", app]);
    await stream.body?.cancel();
    await door.studio.ended(id);
    // Only here; the rest of the API stays closed to other sites.
    const elsewhere = await fetch(`${door.url}/api/v1/me`, {
      headers: { origin: app, authorization: `Bearer ${door.key.token}` },
    });
    expect(elsewhere.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("a member's own connection allows no origin", async () => {
    const member = await door.studio.instance.createPerson(
      `member-${door.url.slice(-5)}@example.org`,
    );
    await door.studio.instance.commit(({ tx }) =>
      insertConnection(
        tx,
        buildConnection({
          ...{
            kind: "fal",
            slug: `mine-${member.user.id}`,
            scope: "user",
            scopeId: member.user.id,
          },
          options: { appOrigins: "https://members.example.org" },
        }),
      ),
    );
    const asked = await fetch(door.proxyUrl, {
      method: "OPTIONS",
      headers: { origin: "https://members.example.org", "access-control-request-method": "POST" },
    });
    expect(asked.status).toBe(403);
  });

  it("a model closed to the caller is looked up on the next connection, and is missing if closed on all", async () => {
    const { instance, fal, models } = door.studio;
    const owner = door.studio.person.user.id;
    const { connection } = await connect(instance.engineDeps, {
      ...{ kind: "fal", name: "fal, too", scope: "instance", userId: owner, values: fal.values },
    });
    await until("its models are there", () => getModel(instance.store.db, connection.id, falModel));
    const member = await instance.createPerson(`closed-${connection.id}@example.org`);
    const client = door.clientOf(await instance.createKey(member));
    const say = (connectionId: string, users: { who: "admins" } | null) =>
      instance.commit(({ tx }) => setModelUsers(tx, [{ connectionId, modelId: falModel }], users));
    const at = async (prompt: string, model = falModel) => {
      const asked = client.queue.submit(model, { input: { prompt, ...smallPicture } });
      const answer = await asked.catch(
        ({ status, body }: { status: number; body: { detail: string } }) => ({ status, ...body }),
      );
      if (!("request_id" in answer))
        return { ...answer, detail: answer.detail.replace(model, "…") };
      await door.studio.ended(answer.request_id);
      return (await door.studio.runOf(answer.request_id)).connectionId;
    };
    expect(await at("open on both")).toBe(models.fal.connectionId);
    await say(models.fal.connectionId, { who: "admins" });
    expect(await at("closed on the first")).toBe(connection.id);
    await say(connection.id, { who: "admins" });
    const [closed, absent] = [
      await at("closed on both"),
      await at("not there", "sim/flux/no-such"),
    ];
    expect(closed).toMatchObject({ status: 404, code: "not_found" });
    expect(closed).toEqual(absent);
    expect([
      fal.ledger.postsOf("closed on both"),
      fal.ledger.postsOf("closed on the first"),
    ]).toEqual([0, 1]);
    for (const id of [models.fal.connectionId, connection.id]) await say(id, null);
    expect(
      (
        await door.studio.person.call("removeConnection", {
          params: { connectionId: connection.id },
        })
      ).status,
    ).toBe(200);
  });

  it("a file's address opens it, an altered one doesn't, and neither shows anything that runs", async () => {
    const link = await linkOf("a signed picture");
    const opened = await fetch(link);
    expect([opened.status, opened.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(opened.headers.get("content-security-policy")).toContain("sandbox");
    expect(opened.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    const other = new URL(await linkOf("another picture"));
    const changed = (change: (url: URL) => void): URL => {
      const url = new URL(link);
      change(url);
      return url;
    };
    const forged = [
      changed((url) => url.searchParams.set("until", "9999999999999")),
      changed((url) => url.searchParams.set("by", door.studio.models.fal.connectionId)),
      changed((url) => url.searchParams.delete("key")),
      changed((url) => url.searchParams.set("signature", "x".repeat(43))),
      changed((url) => {
        url.pathname = other.pathname;
      }),
    ];
    for (const url of forged) expect([url.search, await statusOf(url)]).toEqual([url.search, 404]);
  });

  it("a file's address expires with the key and the person it was issued to", async () => {
    const { instance, person } = door.studio;
    const key = await instance.createKey(person);
    const link = await linkOf("a picture for a while", door.clientOf(key));
    expect(await statusOf(link)).toBe(200);
    const narrow = (scopes: KeyScope[]) =>
      person.call("updateKey", { params: { keyId: key.id }, body: { scopes } });
    await narrow(["runs:write"]);
    expect(await statusOf(link), "a run's result, to a key that may read results").toBe(200);
    await narrow(["chat", "models:read"]);
    expect(await statusOf(link), "a key that may read neither files nor results").toBe(404);
    await narrow(["assets:read"]);
    expect(await statusOf(link)).toBe(200);
    await person.call("revokeKey", { params: { keyId: key.id } });
    expect(await statusOf(link)).toBe(404);
    const guest = await instance.createPerson(`guest-${key.id}@example.org`);
    await instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: person.projectId,
        userId: guest.user.id,
        role: "editor",
        at: 0,
      }),
    );
    const theirs = await linkOf(
      "a guest's picture",
      door.clientOf(await instance.createKey(guest, { projectId: person.projectId })),
    );
    expect(await statusOf(theirs)).toBe(200);
    await instance.commit(({ tx }) => updateUser(tx, guest.user.id, { status: "suspended" }));
    expect(await statusOf(theirs)).toBe(404);
  });

  it("an upload address takes one file, from anywhere, while its person may still add one", async () => {
    const put = (url: string, body: string, headers: Record<string, string> = {}) =>
      statusOf(url, { method: "PUT", body, headers });
    const url = await uploadUrl();
    expect(await put(url.replace("name=a.txt", "name=b.html"), "words")).toBe(403);
    expect(await put(url, "words", { origin: app })).toBe(200);
    expect(await put(url, "other words")).toBe(200);
    const assets = await door.studio.instance.store.db
      .selectFrom("asset")
      .selectAll()
      .where("title", "=", "a.txt")
      .execute();
    expect(assets.map(({ bytes }) => Number(bytes))).toEqual([5]);
    const key = await door.studio.instance.createKey(door.studio.person);
    const target = "https://rest.fal.ai/storage/upload/initiate?storage_type=fal-cdn-v3";
    const begun = await door.call(
      target,
      { method: "POST", body: JSON.stringify({ file_name: "late.txt" }) },
      key.token,
    );
    await door.studio.person.call("revokeKey", { params: { keyId: key.id } });
    expect(await put(((await begun.json()) as { upload_url: string }).upload_url, "words")).toBe(
      403,
    );
  });

  it("parts belong to their own upload, in order: nothing else in the store can be joined", async () => {
    const [one, two] = [
      new URL(await uploadUrl("parts.txt")),
      new URL(await uploadUrl("others.txt")),
    ];
    const below = (url: URL, name: string) => `${url.origin}${url.pathname}/${name}${url.search}`;
    const part = async (url: URL, number: number, body: string) =>
      (await (await fetch(below(url, String(number)), { method: "PUT", body })).json()) as {
        partNumber: number;
        etag: string;
      };
    const [first, second, foreign] = [
      await part(one, 1, "first "),
      await part(one, 2, "second"),
      await part(two, 2, "secret"),
    ];
    const complete = (parts: object[]) =>
      statusOf(below(one, "complete"), {
        method: "POST",
        headers: json,
        body: JSON.stringify({ parts }),
      });
    expect(await complete([first, foreign])).toBe(422);
    expect(await complete([second, first])).toBe(422);
    expect(await complete([{ ...first, partNumber: 2 }])).toBe(422);
    expect(await complete([{ partNumber: 1, etag: `${first.etag.split(".")[0]}.6.forged` }])).toBe(
      422,
    );
    expect(await complete([first, second])).toBe(200);
    const asset = await door.studio.instance.store.db
      .selectFrom("asset")
      .selectAll()
      .where("title", "=", "parts.txt")
      .executeTakeFirst();
    expect((await door.studio.bytesOf(asset!.blob_sha256)).toString()).toBe("first second");
  });

  it("a file over 90 MB arrives in parts, as fal's client sends it, and becomes one file", async () => {
    const bytes = new Uint8Array(90 * 1024 * 1024 + 3).fill(5);
    bytes.set(Buffer.from("a film "));
    const url = await door.fal.storage.upload(
      new File([bytes], "film.bin", { type: "application/octet-stream" }),
    );
    const opened = await fetch(url);
    expect([opened.status, Number(opened.headers.get("content-length"))]).toEqual([
      200,
      bytes.length,
    ]);
    expect(Buffer.compare(Buffer.from(await opened.arrayBuffer()), Buffer.from(bytes))).toBe(0);
  });
});
