import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Clock } from "#domain/runs/ids.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { createSecrets } from "#engine/connections/secrets.ts";
import { pollMs, renewalMs } from "#providers/services/mcp/access-token.ts";
import { mcp } from "#providers/services/mcp/adapter.ts";
import { type Authorization, createAuthorization } from "../../simulators/mcp/authorization.ts";
import { startMcp } from "../../simulators/mcp.ts";
import { oneKey } from "../../support/one-key.ts";
import { createInstance, until } from "../../support/server/instance.ts";
import type { ServerClient } from "../../support/server/server-client.ts";
import { masterKey, startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";
import { createTempFolder } from "../../support/temp.ts";

/** One sign-in at a tool server, used by both of our servers. */
let two: TwoServers;
beforeAll(async () => {
  two = await startTwoServers();
});
afterAll(() => two?.stop());

type Checked = { models: number };
const check = (client: ServerClient, connectionId: string) =>
  client.call<Checked>("checkConnection", { params: { connectionId } });

async function build(): Promise<{ authorization: Authorization; connectionId: string }> {
  const authorization = createAuthorization();
  const server = await startMcp({ isToken: authorization.isToken, also: authorization.also });
  onTestFinished(() => server.stop());
  const values = { reach: "address and sign-in", server: server.url };
  const made = await two.here.call<{ connection: { id: string } }>("createConnection", {
    body: { kind: "mcp", name: "Notebook", scope: "instance", values },
  });
  return { authorization, connectionId: made.body.connection.id };
}

/** Starts at one of our servers and returns to the other. */
async function signIn(connectionId: string): Promise<string> {
  const begun = await two.here.call<{ url: string }>("beginSignIn", {
    params: { connectionId },
    body: { from: "admin" },
  });
  const { headers } = await fetch(begun.body.url, { redirect: "manual" });
  const back = new URL(headers.get("location")!);
  const response = await fetch(`${two.there.url}${back.pathname}${back.search}`, {
    headers: { cookie: two.there.cookie },
    redirect: "manual",
  });
  expect(response.status).toBe(303);
  return response.headers.get("location")!;
}

it("a sign-in started at one server is finished at the other, and both use it", async () => {
  const { authorization, connectionId } = await build();
  expect(await signIn(connectionId)).toBe(
    `/admin/connections?connection=${connectionId}&signIn=done`,
  );
  for (const client of [two.here, two.there])
    expect((await check(client, connectionId)).body.models).toBe(4);
  expect([authorization.counts.tokenCalls, authorization.refused]).toEqual([1, []]);
});

it("two servers with the same expired token send one renewal, and both use its result", async () => {
  const { authorization, connectionId } = await build();
  await signIn(connectionId);
  for (let round = 1; round <= 3; round++) {
    // Both have used it, and it is no longer valid.
    for (const client of [two.here, two.there])
      expect((await check(client, connectionId)).status).toBe(200);
    authorization.endTokens();
    const gate = `round ${round}`;
    authorization.script({ gate });
    const before = authorization.counts.turnedAway;
    const checks = Promise.all(
      [two.here, two.there, two.here, two.there].map((client) => check(client, connectionId)),
    );
    await authorization.reached(gate);
    // The renewing server hasn't been answered yet; all others know that their token is refused,
    // and wait.
    await until("all are refused", async () => authorization.counts.turnedAway >= before + 4);
    authorization.open(gate);
    expect((await checks).map(({ status, body }) => [status, body.models])).toEqual(
      Array(4).fill([200, 4]),
    );
    expect(authorization.counts.renewed).toBe(round);
  }
  // A second use of a refresh token would have ended all of it.
  expect(authorization.refused).toEqual([]);
});

/** A third server on the same database, in this process, whose time the test advances. */
async function startWatched() {
  let aheadMs = 0;
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    monotonic: () => performance.now() + aheadMs,
  };
  const secrets = createSecrets(oneKey(Buffer.from(masterKey, "hex")));
  const dataFolder = createTempFolder("watched");
  const database = {
    databaseUrl: two.databaseUrl,
    dataFolder,
    env: { BOTTEGA_DATA: dataFolder, DATABASE_URL: two.databaseUrl },
  };
  const { engine } = await createInstance(database, {
    adapters: [mcp],
    clock,
    secrets,
    start: false,
    endsWithTest: true,
  });
  onTestFinished(() => mcp.close!());
  function advance(ms: number): void {
    aheadMs += ms;
  }
  return { engine, advance };
}

it("a server that dies during a renewal leaves it to another, after its turn and not before", async () => {
  const { authorization, connectionId } = await build();
  await signIn(connectionId);
  const { engine, advance } = await startWatched();
  await check(two.there, connectionId);
  expect((await checkConnection(engine.deps, connectionId)).models).toBe(4);
  authorization.endTokens();
  // Requested without effect: the token server was never reached.
  authorization.script({ gate: "never" });
  const lost = check(two.there, connectionId).catch(() => undefined);
  await authorization.reached("never");
  await two.second.kill9();
  await lost;
  const { tokenCalls, turnedAway } = authorization.counts;
  const next = checkConnection(engine.deps, connectionId);
  await until(
    "it knows that its token is refused",
    async () => authorization.counts.turnedAway > turnedAway,
  );
  // Nobody else's turn while the renewing server may be waiting for an answer, plus some time.
  advance(renewalMs - 15_000);
  await new Promise((resolve) => setTimeout(resolve, 10 * pollMs));
  expect(authorization.counts.tokenCalls).toBe(tokenCalls);
  advance(15_000);
  expect((await next).models).toBe(4);
  expect([authorization.counts.tokenCalls, authorization.refused]).toEqual([tokenCalls + 1, []]);
  authorization.open("never");
});
