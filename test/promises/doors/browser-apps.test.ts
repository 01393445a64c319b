import { afterAll, beforeAll, expect, it } from "vitest";
import { onSqlite } from "../../support/databases/databases.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

const app = "https://app.example.org";

onSqlite((create) => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor(await create(), { instance: { appOrigins: [app] } });
  });
  afterAll(() => door.studio.close());

  const preflight = (path: string, origin: string) =>
    fetch(`${door.url}${path}`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers":
          "authorization,content-type,x-stainless-lang,anthropic-version,cookie",
      },
    });

  it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages", "/api/fal/proxy"])(
    "a named origin's page may request %s with a key, and no other page may",
    async (path) => {
      const allowed = await preflight(path, app);
      expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
        204,
        app,
      ]);
      expect(allowed.headers.get("access-control-allow-headers")).not.toContain("cookie");
      expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
      for (const origin of [
        "https://evil.example",
        `${app}.evil.example`,
        "http://app.example.org",
      ]) {
        const refused = await preflight(path, origin);
        expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
          403,
          null,
        ]);
      }
    },
  );

  it("a named origin's page reads answers, streams and errors, and only from the APIs for programs", async () => {
    const send = (fields: object, origin = app) =>
      door.post(
        "/chat/completions",
        { model: door.names.chat, messages: [{ role: "user", content: "hi" }], ...fields },
        { origin, "sec-fetch-site": "cross-site" },
      );
    for (const [fields, status] of [
      [{}, 200],
      [{ stream: true }, 200],
      [{ model: "none" }, 404],
    ] as const) {
      const response = await send(fields);
      await response.text();
      expect([
        response.status,
        response.headers.get("access-control-allow-origin"),
        response.headers.get("vary"),
      ]).toEqual([status, app, "origin"]);
      expect(response.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
    const other = await send({}, "https://evil.example");
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    // A session's cookie opens nothing here, and the rest of the API allows no other sites.
    const cookie = door.studio.person.cookie;
    const withCookie = await fetch(`${door.url}/v1/models`, { headers: { origin: app, cookie } });
    expect(withCookie.status).toBe(401);
    const elsewhere = await fetch(`${door.url}/api/v1/me`, {
      headers: { origin: app, authorization: `Bearer ${door.key.token}` },
    });
    expect(elsewhere.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("the official client reads chat and responses from a named origin, within a key's model limit and rate", async () => {
    const { studio, names } = door;
    const key = await studio.instance.createKey(studio.person, {
      models: [studio.models.openai],
      ratePerMinute: 6,
    });
    const client = door
      .clientOf(key)
      .withOptions({ defaultHeaders: { origin: app }, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "hi" }];
    const calls = {
      chat: (model: string) => client.chat.completions.create({ model, messages }).withResponse(),
      responses: (model: string) => client.responses.create({ model, input: "hi" }).withResponse(),
    };
    const facts = ({ response }: { response: Response }) =>
      ["access-control-allow-origin", "x-ratelimit-remaining-requests"].map((name) =>
        response.headers.get(name),
      );
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([names.chat]);
    expect(facts(await calls.chat(names.chat))).toEqual([app, "4"]);
    expect(facts(await calls.responses(names.chat))).toEqual([app, "3"]);
    for (const call of Object.values(calls))
      await expect(call(names.vision)).rejects.toMatchObject({
        status: 404,
        code: "model_not_found",
      });
    await calls.chat(names.chat);
    for (const call of Object.values(calls)) {
      const refused = await call(names.chat).catch((error: unknown) => error);
      const { status, headers } = refused as { status: number; headers: Headers };
      expect([
        status,
        headers.get("x-should-retry"),
        headers.get("x-ratelimit-limit-requests"),
      ]).toEqual([429, "true", "6"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  it("answers, streams and refusals state the key's remaining requests per minute, and nothing about tokens", async () => {
    const key = await door.studio.instance.createKey(door.studio.person, { ratePerMinute: 3 });
    const ask = (stream: boolean) =>
      fetch(`${door.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.token}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: door.names.chat,
          messages: [{ role: "user", content: "hi" }],
          stream,
        }),
      });
    const left: unknown[] = [];
    for (const stream of [false, true, false, false]) {
      const response = await ask(stream);
      await response.text();
      const { headers } = response;
      left.push([
        response.status,
        headers.get("x-ratelimit-limit-requests"),
        headers.get("x-ratelimit-remaining-requests"),
      ]);
      expect(headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+\.\d{3}s$/);
      expect(headers.get("x-ratelimit-limit-tokens")).toBeNull();
    }
    expect(left).toEqual([
      [200, "3", "2"],
      [200, "3", "1"],
      [200, "3", "0"],
      [429, "3", "0"],
    ]);
  });
});
