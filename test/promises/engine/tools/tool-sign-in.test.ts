import { expect, it, onTestFinished } from "vitest";
import { mcp } from "#providers/services/mcp/adapter.ts";
import { getConnection, insertConnection } from "#store/models/connections.ts";
import {
  type AuthorizationOptions,
  createAuthorization,
} from "../../../simulators/mcp/authorization.ts";
import { startMcp } from "../../../simulators/mcp.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createInstance } from "../../../support/server/instance.ts";

type Made = { connection: { id: string; status: string; hasSecret: boolean }; message: string };

onSqlite((create) => {
  async function build(
    options: AuthorizationOptions & { client?: { id: string; secret?: string } } = {},
  ) {
    const authorization = createAuthorization(options);
    const server = await startMcp({ isToken: authorization.isToken, also: authorization.also });
    onTestFinished(() => server.stop());
    onTestFinished(() => mcp.close!());
    const instance = await createInstance(await create(), { endsWithTest: true, adapters: [mcp] });
    const admin = await instance.createPerson("ada@example.org", { role: "owner" });
    const { id: clientId, secret: clientSecret } = options.client ?? {};
    const values = {
      reach: "address and sign-in",
      server: server.url,
      ...(clientId && { clientId }),
      ...(clientSecret && { clientSecret }),
    };
    const made = await admin.call<Made>("createConnection", {
      body: { kind: "mcp", name: "Notebook", scope: "instance", values },
    });
    const connectionId = made.body.connection.id;
    const params = { connectionId };
    const begin = (from = "admin") =>
      admin.call<{ url: string }>("beginSignIn", { params, body: { from } });
    /**
     * Follows the sign-in to the address to which the server sends the person after their consent.
     */
    async function goThere(from?: string): Promise<Record<string, string>> {
      const { headers } = await fetch((await begin(from)).body.url, { redirect: "manual" });
      return Object.fromEntries(new URL(headers.get("location")!).searchParams);
    }
    async function comeBack(query: Record<string, string>, person = admin): Promise<string | null> {
      const back = await person.call("finishSignIn", { query });
      expect(back.status).toBe(303);
      return back.headers.get("location");
    }
    const signIn = async () => comeBack(await goThere());
    const check = () => admin.call<{ models: number }>("checkConnection", { params });
    const connection = async () => (await getConnection(instance.store.db, connectionId))!;
    const at = `connection=${connectionId}&signIn=`;
    return {
      authorization,
      server,
      instance,
      admin,
      made,
      params,
      begin,
      goThere,
      comeBack,
      signIn,
      check,
      connection,
      at,
    };
  }

  it("a person signs in at the server, returns, and its tools are available; the tokens are stored sealed", async () => {
    const { authorization, server, instance, made, goThere, comeBack, check, connection, at } =
      await build();
    expect(made).toMatchObject({
      status: 200,
      body: { message: "Sign in to the tool server first.", connection: { status: "failing" } },
    });
    expect(await comeBack(await goThere())).toBe(`/admin/connections?${at}done`);
    expect(authorization.refused).toEqual([]);
    expect(await connection()).toMatchObject({ status: "ok" });
    expect((await check()).body).toMatchObject({ models: 4 });
    expect(server.sessions().opened).toBe(1);
    const rows = JSON.stringify(
      await instance.store.db.selectFrom("connection_grant").selectAll().execute(),
    );
    for (const token of authorization.tokens) expect(rows).not.toContain(token);
  });

  it("a state belongs to one person, once; each return leads to the screen where it started", async () => {
    const { instance, goThere, comeBack, at } = await build();
    const other = await instance.createPerson("bob@example.org", { role: "admin" });
    const member = await instance.createPerson("eve@example.org", { role: "member" });
    const query = await goThere("settings");
    expect(await comeBack(query, other)).toBe(`/settings/connections?${at}over`);
    // A person who may not change the connection learns nothing about it.
    expect(await comeBack(query, member)).toBe("/settings/connections?signIn=over");
    expect(await comeBack({ ...query, state: "another-state-of-nobody" })).toBe(
      "/settings/connections?signIn=over",
    );
    expect(await comeBack({ code: "c", state: "x".repeat(300) })).toBe(
      "/settings/connections?signIn=over",
    );
    expect(await comeBack(query)).toBe(`/settings/connections?${at}done`);
    expect(await comeBack(query)).toBe(`/settings/connections?${at}over`);
    // An address's parameters lead nowhere else, whatever they contain.
    expect(await comeBack({ state: "s.//evil.example.https://evil.example" })).toBe(
      "/settings/connections?signIn=over",
    );
  });

  it("a project's sign-in returns to its project, for people who manage it", async () => {
    const { instance, admin, comeBack } = await build();
    const member = await instance.createPerson("eve@example.org", { role: "member" });
    const id = "project-connection-1";
    await instance.commit(({ tx }) =>
      insertConnection(tx, {
        id,
        slug: "diary",
        kind: "mcp",
        name: "Diary",
        scope: "project",
        scopeId: admin.projectId,
        baseUrls: { server: "https://tools.example/mcp" },
        options: { reach: "address and sign-in" },
        sealedSecret: null,
        places: { text: 1, media: 1 },
        createdBy: admin.user.id,
        at: 0,
      }),
    );
    const query = { error: "access_denied", state: `used.project.${id}` };
    expect(await comeBack(query)).toBe(`/projects/${admin.projectId}?connection=${id}&signIn=over`);
    expect(await comeBack(query, member)).toBe("/settings/connections?signIn=over");
  });

  it("a person who is no longer signed in here is led to the screen, not shown a problem", async () => {
    const { instance, goThere } = await build();
    const { status, headers } = await instance.anonymous("finishSignIn", {
      query: await goThere(),
    });
    expect([status, headers.get("location")]).toEqual([303, "/settings/connections?signIn=over"]);
  });

  it("a denial, a refused exchange and an unreachable server return with their meaning, and the connection says why", async () => {
    const { authorization, goThere, comeBack, check, connection, at } = await build();
    const { state, iss } = (await goThere()) as { state: string; iss: string };
    const denied = {
      state,
      iss,
      error: "access_denied",
      error_description: "<script>alert(1)</script>",
    };
    expect(await comeBack(denied)).toBe(`/admin/connections?${at}denied`);
    expect((await connection()).statusDetail).toBe(
      "The sign-in was denied at the tool server. Sign in again.",
    );

    expect(await comeBack({ ...(await goThere()), code: "another-code-12345" })).toBe(
      `/admin/connections?${at}refused`,
    );
    expect((await connection()).statusDetail).toBe(
      "Signing in to the tool server failed. invalid_grant: an unknown or used code",
    );

    authorization.script({ status: 503 });
    expect(await comeBack(await goThere())).toBe(`/admin/connections?${at}unreachable`);
    expect((await connection()).statusDetail).toBe(
      "Signing in to the tool server failed. The sign-in server returned HTTP 503.",
    );
    // The exchange was requested once each time, and another sign-in fixes everything.
    expect(authorization.counts.tokenCalls).toBe(2);
    expect(await comeBack(await goThere())).toBe(`/admin/connections?${at}done`);
    expect((await check()).body).toMatchObject({ models: 4 });
    // An earlier grant stays valid if another sign-in fails.
    expect(await comeBack({ ...(await goThere()), code: "another-code-12345" })).toBe(
      `/admin/connections?${at}refused`,
    );
    expect((await check()).body).toMatchObject({ models: 4 });
  });

  it("another issuer's answer is refused", async () => {
    const { authorization, goThere, comeBack, at } = await build();
    const query = await goThere();
    expect(await comeBack({ ...query, iss: "https://elsewhere.example" })).toBe(
      `/admin/connections?${at}refused`,
    );
    expect(authorization.tokens.size).toBe(0);
    expect(authorization.counts.tokenCalls).toBe(0);
  });

  it("an expiring token is renewed once, however many need it, and never for the server's other address", async () => {
    const { authorization, server, admin, params, signIn, check } = await build({ expiresIn: 30 });
    await signIn();
    const before = authorization.counts.renewed;
    expect(before).toBeGreaterThan(0);
    const checks = await Promise.all([1, 2, 3].map(check));
    expect(checks.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(authorization.refused).toEqual([]);
    await admin.call("updateConnection", {
      params,
      body: { values: { server: `${server.origin}/other` } },
    });
    expect((await check()).body).toMatchObject({ code: "provider_auth" });
  });

  it("a token that ends early is renewed; a revoked sign-in requires another, and an unreachable server none", async () => {
    const { authorization, signIn, check, connection, at } = await build();
    await signIn();
    authorization.endTokens();
    expect((await check()).body).toMatchObject({ models: 4 });
    expect(authorization.counts.renewed).toBe(1);

    authorization.endTokens();
    authorization.script({ status: 503 });
    expect((await check()).body).toMatchObject({ code: "provider_overloaded" });
    expect((await check()).body).toMatchObject({ models: 4 });

    authorization.revokeAll();
    const ended = {
      code: "provider_auth",
      detail: "The sign-in to this tool server has expired. Sign in again.",
      needsSignIn: true,
    };
    expect((await check()).body).toMatchObject(ended);
    expect((await check()).body).toMatchObject(ended);
    expect(await connection()).toMatchObject({ status: "failing", statusDetail: ended.detail });
    expect(await signIn()).toBe(`/admin/connections?${at}done`);
  });

  it.each(["none", "client_secret_basic", "client_secret_post"] as const)(
    "a server without registration is used as a person's own app, by %s",
    async (authMethod) => {
      const secret = authMethod === "none" ? undefined : "app-secret-1234567890";
      const {
        authorization,
        instance,
        admin,
        params,
        begin,
        goThere,
        comeBack,
        check,
        connection,
        at,
      } = await build({
        registers: false,
        authMethod,
        expiresIn: 30,
      });
      expect((await connection()).statusDetail).toContain("requires a registered app");
      const { kinds } = (
        await admin.call<{ kinds: { kind: string; signInRedirect: string | null }[] }>("listKinds")
      ).body;
      const redirect = kinds.find(({ kind }) => kind === "mcp")!.signInRedirect!;
      expect(redirect).toMatch(/^http:\/\/[^/]+\/api\/v1\/connections\/signed-in$/);
      expect((await begin()).body).toMatchObject({
        code: "provider_auth",
        detail: expect.stringContaining(redirect),
      });

      authorization.addClient({ id: "app-1", redirect, ...(secret && { secret }) });
      const values = { clientId: "app-1", ...(secret && { clientSecret: secret }) };
      await admin.call("updateConnection", { params, body: { values } });
      expect((await check()).body).toMatchObject({ detail: "Sign in to the tool server first." });
      expect(await comeBack(await goThere())).toBe(`/admin/connections?${at}done`);
      expect((await check()).body).toMatchObject({ models: 4 });
      expect(authorization.counts.renewed).toBeGreaterThan(0);
      expect(authorization.refused).toEqual([]);
      if (secret) {
        const shown = JSON.stringify((await admin.call("getConnection", { params })).body);
        const rows = JSON.stringify(
          await instance.store.db.selectFrom("connection").selectAll().execute(),
        );
        for (const place of [shown, rows]) expect(place).not.toContain(secret);
      }
      // One app's grant isn't another's.
      await admin.call("updateConnection", { params, body: { values: { clientId: "app-2" } } });
      expect((await check()).body).toMatchObject({ detail: "Sign in to the tool server first." });
    },
  );

  it("a wrong app secret is reported without it, and the right one fixes it", async () => {
    const client = { id: "app-1", secret: "wrong-secret-1234567890" };
    const { authorization, admin, params, begin, goThere, comeBack, check, connection, at } =
      await build({
        registers: false,
        authMethod: "client_secret_post",
        client,
      });
    const redirect = new URL((await begin()).body.url).searchParams.get("redirect_uri")!;
    authorization.addClient({ id: "app-1", redirect, secret: "right-secret-1234567890" });
    expect(await comeBack(await goThere())).toBe(`/admin/connections?${at}refused`);
    expect((await connection()).statusDetail).toContain("invalid_client");
    expect((await connection()).statusDetail).not.toContain("secret-");
    await admin.call("updateConnection", {
      params,
      body: { values: { clientSecret: "right-secret-1234567890" } },
    });
    expect((await check()).body).toMatchObject({ detail: "Sign in to the tool server first." });
    expect(await comeBack(await goThere())).toBe(`/admin/connections?${at}done`);
  });

  it("a program registered with a secret uses it", async () => {
    const { authorization, signIn, at } = await build({ authMethod: "client_secret_basic" });
    expect(await signIn()).toBe(`/admin/connections?${at}done`);
    expect([authorization.counts.registered, authorization.refused]).toEqual([1, []]);
  });
});
