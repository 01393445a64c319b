import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { deliverWebhooks } from "#engine/webhooks.ts";
import { forEachDatabase } from "../../support/databases.ts";
import { type Caller, createInstance, createTestClock, type Instance, type TestClock } from "../../support/instance.ts";
import { createStudio } from "../../support/studio.ts";

type Received = { headers: Record<string, string | string[] | undefined>; body: string };

/** A receiver that answers as it is told to, and keeps what it was sent. */
async function startReceiver() {
  const received: Received[] = [];
  const answers: number[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(answers.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/hook`;
  return { url, received, answers, stop: () => new Promise((resolve) => server.close(resolve)) };
}

forEachDatabase((_, create) => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let instance: Instance;
  let admin: Caller;
  let clock: TestClock;
  beforeEach(async () => {
    receiver = await startReceiver();
    clock = createTestClock();
    instance = await createInstance(await create(), { endsWithTest: true, start: false, clock });
    admin = await instance.createPerson("ada@example.org", { role: "owner" });
  });
  afterEach(() => receiver.stop());

  const add = async (url = receiver.url) => (await admin.call<{ id: string; secret: string }>("addWebhook", { body: { url } })).body;
  const deliver = () => deliverWebhooks(instance.engineDeps);
  const listed = async () =>
    (await admin.call<{ webhooks: { last: { status: string; error: string | null } | null }[] }>("listWebhooks")).body.webhooks;

  it("a delivery is signed so that its receiver can tell it is ours, and is made once", async () => {
    const { secret } = await add();
    await admin.call("testWebhooks");
    await deliver();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    const { headers, body } = receiver.received[0]!;
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const expected = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
      .update(signed)
      .digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
    expect(JSON.parse(body)).toMatchObject({ type: "test" });
    expect(await listed()).toMatchObject([{ last: { status: "delivered", error: null } }]);
  });

  it("what is not taken is sent again, later each time, under the same id, and given up in the end", async () => {
    await add();
    receiver.answers.push(500, 503);
    await admin.call("testWebhooks");
    await deliver();
    expect(await listed()).toMatchObject([{ last: { status: "waiting", error: "It answered 500." } }]);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    clock.advance(5_000);
    await deliver();
    expect(receiver.received).toHaveLength(2);
    clock.advance(5 * 60_000);
    await deliver();
    expect(await listed()).toMatchObject([{ last: { status: "delivered", error: null } }]);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    await receiver.stop();
    await admin.call("testWebhooks");
    for (let tries = 0; tries < 8; tries++) {
      await deliver();
      clock.advance(24 * 60 * 60_000);
    }
    expect(await listed()).toMatchObject([{ last: { status: "given-up", error: expect.stringMatching(/./) } }]);
  });

  it("a clock that is set back by a day holds up neither a delivery that waits nor one that failed", async () => {
    await add();
    await admin.call("testWebhooks");
    clock.advance(-24 * 60 * 60_000);
    receiver.answers.push(500);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    await deliver();
    expect(receiver.received, "its wait is not over").toHaveLength(1);
    clock.advance(-24 * 60 * 60_000);
    await deliver();
    expect(await listed()).toMatchObject([{ last: { status: "delivered" } }]);
    expect(receiver.received).toHaveLength(2);
  });

  it("an address that is none, or that would hold a password, is refused, and the secret is never shown again", async () => {
    for (const url of ["ftp://example.org", "not an address", "https://me:secret@example.org/", "https://:secret@example.org/"])
      expect((await admin.call("addWebhook", { body: { url } })).status).toBe(422);
    const { secret } = await add();
    expect(JSON.stringify(await listed())).not.toContain(secret.slice(6));
    const [row] = await instance.store.db.selectFrom("webhook_endpoint").selectAll().execute();
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
  });
});

forEachDatabase((_, create) => {
  it("passing 80 and then 100 per cent of a budget is told once each, with whose budget it is", async () => {
    const receiver = await startReceiver();
    const studio = await createStudio(await create(), { endsWithTest: true });
    await studio.person.call("addWebhook", { body: { url: receiver.url } });
    const { id: userId } = studio.person.user;
    const setting = { period: "total", timeZone: "UTC", onLimit: "warn", limitMicros: 30_000 };
    await studio.person.call("setBudgets", { body: { scope: "user", scopeIds: [userId], ...setting } });
    for (const prompt of ["one", "two", "three"]) await studio.ended((await studio.make(prompt)).id);
    await deliverWebhooks(studio.instance.engineDeps);
    const told = receiver.received.map(({ body }) => JSON.parse(body)).sort((a, b) => a.data.percent - b.data.percent);
    expect(told).toMatchObject([
      { type: "budget.warning", data: { scope: "user", scopeId: userId, percent: 80, limitMicros: 30_000, spentMicros: 25_000 } },
      { type: "budget.warning", data: { percent: 100, spentMicros: 50_000 } },
    ]);
    await receiver.stop();
  });
});
