import { expect, it, onTestFinished } from "vitest";
import { mcp } from "#providers/mcp/adapter.ts";
import { getConnection } from "#store/connections.ts";
import { createAuthorization } from "../../simulators/mcp/authorization.ts";
import { startMcp } from "../../simulators/mcp.ts";
import { forEachDatabase } from "../../support/databases.ts";
import { createInstance } from "../../support/instance.ts";

forEachDatabase((_, create) => {
  async function build(options: { expiresIn?: number } = {}) {
    const authorization = createAuthorization(options);
    const server = await startMcp({ isToken: authorization.isToken, also: authorization.also });
    onTestFinished(() => server.stop());
    onTestFinished(() => mcp.close!());
    const instance = await createInstance(await create(), { endsWithTest: true, adapters: [mcp] });
    const admin = await instance.createPerson("ada@example.org", { role: "owner" });
    const values = { reach: "address and sign-in", server: server.url };
    const made = await admin.call<{ connection: { id: string; status: string }; message: string }>("createConnection", {
      body: { kind: "mcp", name: "Notebook", scope: "instance", values },
    });
    const connectionId = made.body.connection.id;
    const params = { connectionId };
    /** Where the server sends the person back, after their yes. */
    async function goThere(): Promise<Record<string, string>> {
      const { body } = await admin.call<{ url: string }>("beginSignIn", { params });
      const { headers } = await fetch(body.url, { redirect: "manual" });
      return Object.fromEntries(new URL(headers.get("location")!).searchParams);
    }
    const connection = async () => (await getConnection(instance.store.db, connectionId))!;
    return { authorization, server, instance, admin, made, params, goThere, connection };
  }

  it("a person signs in at the server, comes back, and its tools are there; the tokens are kept sealed", async () => {
    const { authorization, server, instance, admin, made, params, goThere, connection } = await build();
    expect(made).toMatchObject({ status: 200, body: { message: "Sign in at the server first.", connection: { status: "failing" } } });
    const back = await admin.call("finishSignIn", { query: await goThere() });
    expect(back.status).toBe(303);
    expect(back.headers.get("location")).toBe(`/admin/connections?connection=${params.connectionId}`);
    expect(authorization.refused).toEqual([]);
    expect(await connection()).toMatchObject({ status: "ok" });
    expect((await admin.call<{ models: number }>("checkConnection", { params })).body).toMatchObject({ models: 4 });
    expect(server.sessions().opened).toBe(1);
    const rows = JSON.stringify(await instance.store.db.selectFrom("connection_grant").selectAll().execute());
    for (const token of authorization.tokens) expect(rows).not.toContain(token);
  });

  it("a state is one person's, once", async () => {
    const { instance, admin, goThere } = await build();
    const other = await instance.createPerson("bob@example.org", { role: "admin" });
    const query = await goThere();
    expect((await other.call("finishSignIn", { query })).status).toBe(403);
    expect((await admin.call("finishSignIn", { query: { ...query, state: "another-state-of-nobody" } })).status).toBe(403);
    expect((await admin.call("finishSignIn", { query })).status).toBe(303);
    expect((await admin.call("finishSignIn", { query })).status).toBe(403);
  });

  it("an answer of another issuer is refused", async () => {
    const { authorization, admin, goThere } = await build();
    const query = await goThere();
    expect((await admin.call("finishSignIn", { query: { ...query, iss: "https://elsewhere.example" } })).status).toBeGreaterThanOrEqual(
      400,
    );
    expect(authorization.tokens.size).toBe(0);
  });

  it("a token near its end is renewed once, however many ask, and another address of the server has none", async () => {
    const { authorization, server, admin, params, goThere } = await build({ expiresIn: 30 });
    await admin.call("finishSignIn", { query: await goThere() });
    const before = authorization.counts.renewed;
    expect(before).toBeGreaterThan(0);
    const checks = await Promise.all([1, 2, 3].map(() => admin.call("checkConnection", { params })));
    expect(checks.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(authorization.refused).toEqual([]);
    await admin.call("updateConnection", { params, body: { values: { server: `${server.origin}/other` } } });
    expect((await admin.call("checkConnection", { params })).body).toMatchObject({ code: "provider_auth" });
  });
});
