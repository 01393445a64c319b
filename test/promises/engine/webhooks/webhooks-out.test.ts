import { Webhook } from "standardwebhooks";
import { beforeEach, expect, it } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { createDeliverer } from "#engine/webhooks/deliver.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  createTestClock,
  type Instance,
  type TestClock,
} from "../../../support/server/instance.ts";
import { type HookReceiver, startHookReceiver } from "../../../support/studio/hook-receiver.ts";
import { createStudio } from "../../../support/studio/studio.ts";

type Listed = RouteOutput<"listWebhooks">["webhooks"][number];
const day = 24 * 60 * 60_000;

forEachDatabase((_, create) => {
  let receiver: HookReceiver;
  let instance: Instance;
  let admin: Caller;
  let clock: TestClock;
  beforeEach(async () => {
    receiver = await startHookReceiver();
    clock = createTestClock(Date.now());
    instance = await createInstance(await create(), { endsWithTest: true, start: false, clock });
    admin = await instance.createPerson("ada@example.org", { role: "owner" });
  });

  const add = async (url = receiver.url) =>
    (await admin.call<{ id: string; secret: string }>("addWebhook", { body: { url } })).body;
  const test = (webhookId: string) => admin.call("testWebhook", { params: { webhookId } });
  const deliver = () => createDeliverer(instance.engineDeps).settled();
  const listed = async () =>
    (await admin.call<{ webhooks: Listed[] }>("listWebhooks")).body.webhooks;
  const deliveries = async (webhookId: string) =>
    (await admin.call<RouteOutput<"listDeliveries">>("listDeliveries", { params: { webhookId } }))
      .body.deliveries;
  /**
   * Whether the receiver's own library accepts the last delivery.
   * @throws the library's error
   */
  const verify = (secret: string, { headers, body } = receiver.received.at(-1)!) =>
    new Webhook(secret).verify(body, headers);

  it("a delivery is signed so that its receiver can verify it, and is made once", async () => {
    const { id, secret } = await add();
    await test(id);
    await deliver();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect(verify(secret)).toMatchObject({ type: "test" });
    const [first] = receiver.received;
    expect(() => verify(secret, { ...first!, body: `${first!.body} ` })).toThrow(
      "No matching signature",
    );
    expect(() =>
      verify(secret, { ...first!, headers: { ...first!.headers, "webhook-id": "another" } }),
    ).toThrow("No matching signature");
    expect(await listed()).toMatchObject([
      { waiting: 0, last: { status: "delivered", error: null } },
    ]);
  });

  it("for a day after its replacement the old secret signs together with the new one", async () => {
    const { id, secret } = await add();
    const rotated = await admin.call<{ secret: string; oldUntil: number }>("rotateWebhookSecret", {
      params: { webhookId: id },
    });
    await test(id);
    await deliver();
    expect(verify(secret)).toEqual(verify(rotated.body.secret));
    expect(await listed()).toMatchObject([{ oldSecretUntil: rotated.body.oldUntil }]);
    // The library accepts deliveries up to five minutes old, so the receiver's clock advances too.
    clock.advance(day - 1);
    await test(id);
    await deliver();
    expect(receiver.received.at(-1)!.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
    clock.advance(1);
    await test(id);
    await deliver();
    expect(receiver.received.at(-1)!.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
    expect(await listed()).toMatchObject([{ oldSecretUntil: null }]);
  });

  it("a failed delivery is retried at growing intervals, under the same ID, and given up in the end", async () => {
    const { id } = await add();
    receiver.answers.push(500, 503);
    await test(id);
    await deliver();
    expect(await listed()).toMatchObject([
      { waiting: 1, last: { status: "waiting", error: "The webhook returned 500." } },
    ]);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    clock.advance(5_000);
    await deliver();
    expect(receiver.received).toHaveLength(2);
    clock.advance(5 * 60_000);
    await deliver();
    expect(await listed()).toMatchObject([
      { failingSince: null, last: { status: "delivered", error: null } },
    ]);
    expect(new Set(receiver.received.map((hook) => hook.id)).size).toBe(1);
    await receiver.stop();
    await test(id);
    for (let tries = 0; tries < 8; tries++) {
      await deliver();
      clock.advance(14 * 60 * 60_000);
    }
    expect(await listed()).toMatchObject([
      { pausedAt: null, last: { status: "given-up", error: expect.stringMatching(/./) } },
    ]);
  });

  it("an address that fails for days is paused with a reason, receives nothing, and is resumed by a person", async () => {
    const { id } = await add();
    receiver.always(500);
    await test(id);
    await deliver();
    clock.advance(5 * day + 1);
    await test(id);
    await deliver();
    expect(await listed()).toMatchObject([
      { pausedAt: clock.now(), pausedWhy: "No delivery has succeeded for 5 days.", waiting: 0 },
    ]);
    expect((await test(id)).status).toBe(409);
    receiver.always(204);
    await admin.call("updateWebhook", { params: { webhookId: id }, body: { resume: true } });
    expect((await test(id)).status).toBe(200);
    await deliver();
    expect(await listed()).toMatchObject([
      { pausedAt: null, pausedWhy: null, last: { status: "delivered" } },
    ]);
  });

  it("an address that answers gone gets no more deliveries", async () => {
    const { id } = await add();
    receiver.answers.push(410);
    await test(id);
    await test(id);
    receiver.answers.push(410);
    await deliver();
    expect(await listed()).toMatchObject([
      { pausedWhy: expect.stringContaining("410"), waiting: 0 },
    ]);
  });

  it("a redirect isn't followed, and an address's answer is saved as text up to the shown length", async () => {
    const { id } = await add();
    const elsewhere = await startHookReceiver();
    receiver.answers.push((response) => response.writeHead(307, { location: elsewhere.url }).end());
    await test(id);
    await deliver();
    receiver.answers.push((response) =>
      response.writeHead(400).end(`<script>\u0000${"é".repeat(2_000)}`),
    );
    clock.advance(5_000);
    await deliver();
    expect(elsewhere.received).toHaveLength(0);
    const [last] = await deliveries(id);
    expect(last).toMatchObject({
      httpStatus: 400,
      attempts: 2,
      error: "The webhook returned 400.",
      triedAt: clock.now(),
    });
    expect(last!.answer).toMatch(/^<script>\uFFFDé+/);
    expect(last!.answer!.length).toBeLessThan(600);
  });

  it("a delivery is resent by hand under its own ID, and only to its own address", async () => {
    const { id } = await add();
    const { id: otherId } = await add();
    await test(id);
    await deliver();
    const [first] = await deliveries(id);
    const again = (webhookId: string) =>
      admin.call("deliverAgain", { params: { webhookId, deliveryId: first!.id } });
    expect((await again(otherId)).status).toBe(404);
    expect((await again(id)).status).toBe(200);
    expect((await again(id)).status).toBe(404);
    await deliver();
    expect(receiver.received.map((hook) => hook.id)).toEqual([first!.id, first!.id]);
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
  });

  it("a clock set back by a day holds up neither waiting nor failed deliveries", async () => {
    const { id } = await add();
    await test(id);
    clock.advance(-day);
    receiver.answers.push(500);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    await deliver();
    expect(receiver.received, "its wait is not over").toHaveLength(1);
    clock.advance(-day);
    await deliver();
    expect(await listed()).toMatchObject([{ last: { status: "delivered" } }]);
    expect(receiver.received).toHaveLength(2);
  });

  it("an invalid address or one with a password is refused, and the secret is never shown again", async () => {
    for (const url of [
      "ftp://example.org",
      "not an address",
      "https://me:secret@example.org/",
      "https://:secret@example.org/",
    ])
      expect((await admin.call("addWebhook", { body: { url } })).status).toBe(422);
    const { secret } = await add();
    expect(JSON.stringify(await listed())).not.toContain(secret.slice(6));
    const [row] = await instance.store.db.selectFrom("webhook_endpoint").selectAll().execute();
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
  });

  it("only admins read the answers of an address that an admin named, even if a manager names it too", async () => {
    const manager = await instance.createPerson("bob@example.org");
    const { projectId } = manager;
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: admin.user.id, role: "manager", at: 0 }),
    );
    const made = await admin.call<{ id: string }>("addProjectWebhook", {
      params: { projectId },
      body: { url: receiver.url },
    });
    const webhookId = made.body.id;
    receiver.answers.push((response) => response.writeHead(404).end("an internal page"));
    await manager.call("testWebhook", { params: { webhookId } });
    await deliver();
    const seenBy = async (who: Caller) =>
      (await who.call<RouteOutput<"listDeliveries">>("listDeliveries", { params: { webhookId } }))
        .body.deliveries;
    expect(await seenBy(admin)).toMatchObject([
      { answer: "an internal page", error: "The webhook returned 404." },
    ]);
    expect(await seenBy(manager)).toMatchObject([
      { answer: null, error: "The webhook returned 404." },
    ]);
    await receiver.stop();
    clock.advance(day);
    await deliver();
    expect(await seenBy(admin)).toMatchObject([{ error: expect.stringMatching("127.0.0.1") }]);
    const shown = JSON.stringify([
      await seenBy(manager),
      await manager.call("listProjectWebhooks", { params: { projectId } }),
    ]);
    expect(shown).toContain("The webhook could not be reached.");
    expect(shown).not.toMatch(/ECONNREFUSED|internal page/);
    await manager.call("updateWebhook", {
      params: { webhookId },
      body: { url: "https://example.org/" },
    });
    expect(await seenBy(manager)).toMatchObject([{ answer: null, error: null }]);
  });

  it("only an admin may name a private address: a manager's is refused when added and when it resolves to one", async () => {
    const manager = await instance.createPerson("bob@example.org");
    const ofProject = { params: { projectId: manager.projectId } };
    for (const url of [receiver.url, "http://169.254.169.254/latest", "http://[::1]:80/"])
      expect(
        (await manager.call("addProjectWebhook", { ...ofProject, body: { url } })).status,
      ).toBe(422);
    const made = await manager.call<{ id: string }>("addProjectWebhook", {
      ...ofProject,
      body: { url: "https://example.org/" },
    });
    const webhookId = made.body.id;
    expect(
      (await manager.call("updateWebhook", { params: { webhookId }, body: { url: receiver.url } }))
        .status,
    ).toBe(422);
    // A name that resolves to a private address.
    const url = receiver.url.replace("127.0.0.1", "localhost");
    expect(
      (await manager.call("updateWebhook", { params: { webhookId }, body: { url } })).status,
    ).toBe(200);
    await manager.call("testWebhook", { params: { webhookId } });
    await deliver();
    expect(receiver.received).toHaveLength(0);
    const { deliveries: tried } = (
      await manager.call<RouteOutput<"listDeliveries">>("listDeliveries", { params: { webhookId } })
    ).body;
    expect(tried).toMatchObject([
      { status: "waiting", httpStatus: null, error: expect.stringMatching(/./) },
    ]);
    // An admin who resumes it or changes its events hasn't set its address.
    await instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: manager.projectId,
        userId: admin.user.id,
        role: "manager",
        at: 0,
      }),
    );
    for (const body of [{ resume: true as const }, { events: ["run.succeeded" as const] }]) {
      expect((await admin.call("updateWebhook", { params: { webhookId }, body })).status).toBe(200);
      await admin.call("testWebhook", { params: { webhookId } });
      clock.advance(day);
      await deliver();
      expect(receiver.received).toHaveLength(0);
    }
    expect(
      (await admin.call("updateWebhook", { params: { webhookId }, body: { url } })).status,
    ).toBe(200);
    clock.advance(day);
    await deliver();
    expect(receiver.received).not.toHaveLength(0);
  });
});

forEachDatabase((_, create) => {
  it("passing 80 and then 100 percent of a budget is delivered once each, naming the budget's owner", async () => {
    const receiver = await startHookReceiver();
    const studio = await createStudio(await create(), { endsWithTest: true });
    await studio.person.call("addWebhook", { body: { url: receiver.url } });
    const { id: userId } = studio.person.user;
    const setting = { period: "total", timeZone: "UTC", onLimit: "warn", limitMicros: 30_000 };
    await studio.person.call("setBudgets", {
      body: { scope: "user", scopeIds: [userId], ...setting },
    });
    const [first, ...others] = ["one", "two", "three"];
    await studio.ended((await studio.make(first!)).id);
    // This run's cost is unknown, so the budget has spent at least the amount that it shows.
    await studio.ended((await studio.make("no price", { model: studio.models.openaiImage })).id);
    for (const prompt of others) await studio.ended((await studio.make(prompt)).id);
    await createDeliverer(studio.instance.engineDeps).settled();
    const told = receiver.received
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => a.data.percent - b.data.percent);
    expect(told).toMatchObject([
      {
        type: "budget.warning",
        data: {
          scope: "user",
          scopeId: userId,
          percent: 80,
          limitMicros: 30_000,
          spentMicros: 25_000,
          unpricedRuns: 0,
        },
      },
      { type: "budget.warning", data: { percent: 100, spentMicros: 50_000, unpricedRuns: 1 } },
    ]);
  });
});
