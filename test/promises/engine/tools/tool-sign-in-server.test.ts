import { expect, it, onTestFinished } from "vitest";
import { mcp } from "#providers/services/mcp/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import { createAuthorization } from "../../../simulators/mcp/authorization.ts";
import { type HttpCall, startMcp } from "../../../simulators/mcp.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createInstance } from "../../../support/server/instance.ts";

type Made = {
  status: number;
  body: { connection: { id: string }; message: string; detail?: string };
};

/** A company's own sign-in server, at another address of its network than the tool server. */
onSqlite((create) => {
  async function build() {
    const authorization = createAuthorization({ resource: () => tools.url });
    const asked: string[] = [];
    const login = await startMcp({
      also(call) {
        asked.push(`${call.method} ${call.url.pathname}`);
        return authorization.also(call);
      },
    });
    const place = new URL(login.url).origin;
    let named = place;
    let redirects = false;
    let described: string | undefined;
    const json = ({ response }: HttpCall, body: object): true => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      return true;
    };
    const tools = await startMcp({
      isToken: authorization.isToken,
      also(call) {
        const isMetadata = call.url.pathname === "/.well-known/oauth-protected-resource/mcp";
        if (redirects) call.response.writeHead(302, { location: `${place}/inside` }).end();
        else if (described && call.method === "POST")
          call.response
            .writeHead(401, { "www-authenticate": `Bearer resource_metadata="${described}"` })
            .end();
        else if (isMetadata)
          return json(call, { resource: `${call.url.origin}/mcp`, authorization_servers: [named] });
        return call.response.headersSent;
      },
    });
    onTestFinished(async () => {
      await Promise.all([tools.stop(), login.stop()]);
      await mcp.close!();
    });
    const instance = await createInstance(await create(), { endsWithTest: true, adapters: [mcp] });
    const admin = await instance.createPerson("ada@example.org", { role: "owner" });
    const connect = (signInServer: string, who = admin, scope = "instance"): Promise<Made> => {
      const values = {
        reach: "address and sign-in",
        server: tools.url,
        ...(signInServer && { signInServer }),
      };
      return who.call("createConnection", {
        body: { kind: "mcp", name: "Notebook", scope, values },
      }) as Promise<Made>;
    };
    const begin = ({ body }: Made, who = admin) =>
      who.call<{ url: string; detail: string }>("beginSignIn", {
        params: { connectionId: body.connection.id },
        body: { from: "admin" },
      });
    async function signIn(made: Made): Promise<string | null> {
      const { headers } = await fetch((await begin(made)).body.url, { redirect: "manual" });
      const query = Object.fromEntries(new URL(headers.get("location")!).searchParams);
      return (await admin.call("finishSignIn", { query })).headers.get("location");
    }
    const check = ({ body }: Made) =>
      admin.call<{ models: number; detail: string }>("checkConnection", {
        params: { connectionId: body.connection.id },
      });
    return {
      authorization,
      instance,
      admin,
      place,
      asked,
      tools,
      connect,
      begin,
      signIn,
      check,
      nameInstead(other: string): void {
        named = other;
      },
      redirect(): void {
        redirects = true;
      },
      describeAt(address: string): void {
        described = address;
      },
    };
  }

  it("a sign-in server that an admin named is used, and the tools are available", async () => {
    const { authorization, place, connect, signIn, check, instance } = await build();
    const made = await connect(place);
    expect(made).toMatchObject({
      status: 200,
      body: { message: "Sign in to the tool server first." },
    });
    expect(await signIn(made)).toContain("signIn=done");
    expect((await check(made)).body).toMatchObject({ models: 4 });
    expect(await getConnection(instance.store.db, made.body.connection.id)).toMatchObject({
      status: "ok",
    });
    authorization.endTokens();
    expect((await check(made)).body).toMatchObject({ models: 4 });
    expect(authorization.counts.renewed).toBe(1);
  });

  it("an unnamed sign-in server is never contacted, whatever the tool server says", async () => {
    const { connect, asked } = await build();
    const made = await connect("");
    expect(made).toMatchObject({
      body: { code: "provider_unreachable", advice: expect.stringContaining("“Sign-in server”") },
    });
    expect(asked).toEqual([]);
  });

  it("a personal connection opens no local network address, and says so", async () => {
    const { instance, place, connect, asked, tools } = await build();
    const member = await instance.createPerson("eve@example.org");
    const made = await connect(place, member, "user");
    expect(made.status).toBeGreaterThanOrEqual(400);
    expect([asked, tools.sessions().opened]).toEqual([[], 0]);
  });

  it("a tool server that names a different sign-in server gets nobody there, and no earlier token", async () => {
    const {
      authorization,
      place,
      connect,
      begin,
      signIn,
      check,
      asked,
      nameInstead,
      instance,
      admin,
    } = await build();
    const made = await connect(place);
    await signIn(made);
    const before = asked.length;
    // Another one in the same network, which nobody named.
    let told = 0;
    const other = await startMcp({ also: () => ++told > 0 && false });
    onTestFinished(() => other.stop());
    for (const elsewhere of [new URL(other.url).origin, "https://login.evil.example"]) {
      nameInstead(elsewhere);
      expect(await begin(made)).toMatchObject({
        status: 502,
        body: { detail: expect.stringContaining(`to ${elsewhere} to sign in`) },
      });
    }
    expect([told, asked.length]).toEqual([0, before]);
    // The existing sign-in continues at the named place.
    expect((await check(made)).body).toMatchObject({ models: 4 });
    // The admin's change invalidates it.
    const values = { signInServer: new URL(other.url).origin };
    await admin.call("updateConnection", {
      params: { connectionId: made.body.connection.id },
      body: { values },
    });
    const { counts } = authorization;
    const calls = counts.tokenCalls;
    expect((await check(made)).status).toBeGreaterThanOrEqual(400);
    expect(counts.tokenCalls).toBe(calls);
    expect((await getConnection(instance.store.db, made.body.connection.id))?.status).toBe(
      "failing",
    );
  });

  it("the sign-in server's other pages aren't reached, wherever the tool server points", async () => {
    const { place, connect, begin, signIn, check, asked, redirect } = await build();
    const made = await connect(place);
    await signIn(made);
    const before = asked.length;
    redirect();
    await mcp.close!();
    expect((await check(made)).status).toBeGreaterThanOrEqual(400);
    expect((await begin(made)).status).toBeGreaterThanOrEqual(400);
    expect(asked.slice(before).filter((one) => one.includes("/inside"))).toEqual([]);
  });

  it("nor are they reached as the address of the tool server's metadata", async () => {
    const { place, connect, begin, asked, tools, describeAt } = await build();
    const made = await connect(place);
    describeAt(`${new URL(tools.url).origin}/.well-known/oauth-protected-resource/mcp`);
    expect((await begin(made)).status).toBe(200);
    const before = asked.length;
    describeAt(`${place}/inside?end=all`);
    expect(await begin(made)).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining(`at ${place}`) },
    });
    expect(asked.slice(before)).toEqual([]);
  });
});
