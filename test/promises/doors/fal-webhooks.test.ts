import { expect, it, onTestFinished } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createDeliverer } from "#engine/webhooks/deliver.ts";
import type { WebhookContext } from "#providers/adapter.ts";
import { verifyWebhook } from "#providers/services/fal/queue/webhook.ts";
import { claimCalls } from "#store/webhooks/run-webhooks.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { createTestClock, until } from "../../support/server/instance.ts";
import { falModel, openFalDoor, smallPicture } from "../../support/studio/fal-door.ts";
import { type HookReceiver, startHookReceiver } from "../../support/studio/hook-receiver.ts";

const minute = 60_000;
type Told = {
  request_id: string;
  gateway_request_id: string;
  status: string;
  error?: string;
  payload: Record<string, unknown>;
};

/** An app with fal's client on this machine, whose origin an admin has allowed. */
async function createWorld(database: TestDatabase, { isAllowed = true } = {}) {
  const receiver: HookReceiver = await startHookReceiver();
  const clock = createTestClock(Date.now());
  const door = await openFalDoor(database, {
    endsWithTest: true,
    instance: { clock, appOrigins: isAllowed ? [new URL(receiver.url).origin] : [] },
  });
  const submit = (prompt: string, { webhookUrl = receiver.url } = {}) =>
    door.fal.queue.submit(falModel, { input: { prompt, ...smallPicture }, webhookUrl });
  const told = (): Told[] => receiver.received.map(({ body }) => JSON.parse(body) as Told);
  const rowOf = (runId: string) =>
    door.studio.instance.store.db
      .selectFrom("run_webhook")
      .selectAll()
      .where("run_id", "=", runId)
      .executeTakeFirst();
  return {
    ...door,
    receiver,
    clock,
    submit,
    told,
    rowOf,
    /** The run's page for a member of the project. */
    shownOf: async (runId: string) =>
      (await door.studio.person.call<RouteOutput<"getRun">>("getRun", { params: { runId } })).body
        .webhook,
    heard: (times = 1) =>
      until("the app has heard", async () => receiver.received.length >= times && told()),
    noted: (runId: string, status: string) =>
      until(`it is ${status}`, async () => (await rowOf(runId))?.status === status),
    deliver: () => createDeliverer(door.studio.instance.engineDeps).settled(),
  };
}

forEachDatabase((_, create) => {
  it("a submit's webhook is called after its run, with fal's body, our links and a verifiable signature", async () => {
    const world = await createWorld(await create());
    const { request_id: id, gateway_request_id } = (await world.submit("a pier")) as {
      request_id: string;
      gateway_request_id?: string;
    };
    expect(gateway_request_id).toBe(id);
    const [told] = await world.heard();
    expect(told).toEqual({
      request_id: id,
      gateway_request_id: id,
      status: "OK",
      payload: expect.objectContaining({ prompt: "a pier" }),
    });
    const [picture] = told!.payload.images as { url: string }[];
    expect(picture!.url.startsWith(`${world.url}/api/fal/files/`)).toBe(true);
    expect((await fetch(picture!.url)).headers.get("content-type")).toBe("image/png");
    // fal's own address is for fal, which never receives the app's.
    expect(JSON.stringify(world.studio.fal.ledger)).not.toContain(world.receiver.url);

    const [{ headers, body }] = world.receiver.received as [HookReceiver["received"][number]];
    const keys = await (await fetch(`${world.url}/api/fal/.well-known/jwks.json`)).json();
    const context = {
      clock: world.clock,
      connection: { addresses: {} },
      keys: async () => keys.keys,
    } as unknown as WebhookContext;
    const call = { headers: new Headers(headers), body: Buffer.from(body) };
    expect(await verifyWebhook(call, context)).toEqual({ requestId: id });
    expect(headers["x-fal-webhook-user-id"]).toBe(world.studio.person.user.id);
    const forged = { ...call, body: Buffer.from(body.replace("OK", "ERROR")) };
    expect(await verifyWebhook(forged, context)).toBeNull();
    await world.noted(id, "delivered");
  });

  it("a failed, canceled or unconfirmed run is reported as an error, and an unconfirmed one's outcome later", async () => {
    const world = await createWorld(await create());
    const failed = (await world.submit("one [sim:422]")).request_id;
    expect(await world.heard()).toMatchObject([
      {
        request_id: failed,
        status: "ERROR",
        error: "Invalid status code: 422",
        payload: { detail: [{ loc: expect.any(Array), msg: expect.any(String) }] },
      },
    ]);
    const held = (await world.submit("two [sim:hold-queue]")).request_id;
    await world.fal.queue.cancel(falModel, { requestId: held });
    expect((await world.heard(2))[1]).toMatchObject({
      request_id: held,
      status: "ERROR",
      error: "Invalid status code: 499",
    });
    const lost = (await world.submit("three [sim:lost-reply]")).request_id;
    expect((await world.heard(3))[2]).toMatchObject({ request_id: lost, status: "ERROR" });
    await until("it waits for the outcome", async () => (await world.rowOf(lost))?.told);
    await world.deliver();
    expect(world.told()).toHaveLength(3);
    await world.studio.person.call("resolveRun", {
      params: { runId: lost },
      body: { outcome: "not-made" },
    });
    expect((await world.heard(4))[3]).toMatchObject({ request_id: lost, status: "ERROR" });
    await world.noted(lost, "delivered");
  });

  it("an outcome that arrives during the notification of an unconfirmed run is reported too", async () => {
    const world = await createWorld(await create());
    let answer: (() => void) | undefined;
    world.receiver.answers.push((response) => {
      answer = () => response.writeHead(204).end();
    });
    const { request_id: id } = await world.submit("four [sim:lost-reply]");
    await until("it is being told", async () => answer);
    await world.studio.person.call("resolveRun", {
      params: { runId: id },
      body: { outcome: "not-made" },
    });
    answer!();
    expect((await world.heard(2))[1]).toMatchObject({ request_id: id, status: "ERROR" });
    await world.noted(id, "delivered");
  });

  it("a failing address is retried ten times within two hours, at growing intervals, then never", async () => {
    const world = await createWorld(await create());
    world.receiver.always(500);
    const { request_id: id } = await world.submit("a weak app");
    await world.heard();
    const triedAt = [world.clock.now()];
    for (let tries = 1; tries <= 10; tries++) {
      await until("the try is noted", async () => {
        const row = await world.rowOf(id);
        return row?.attempts === tries && row.tried_at === triedAt.at(-1);
      });
      const { next_at } = (await world.rowOf(id))!;
      world.clock.advance(next_at - world.clock.now() - 1);
      await world.deliver();
      expect(world.receiver.received).toHaveLength(tries);
      world.clock.advance(1);
      triedAt.push(world.clock.now());
      await world.deliver();
      await world.heard(tries + 1);
    }
    await world.noted(id, "given-up");
    expect(triedAt.at(-1)! - triedAt[0]!).toBe(2 * 60 * minute - 20_000);
    world.clock.advance(24 * 60 * minute);
    await world.deliver();
    expect(world.receiver.received).toHaveLength(11);
  });

  it("a run's page shows its webhook's state, and only the address's origin", async () => {
    const world = await createWorld(await create());
    const { origin } = new URL(world.receiver.url);
    const webhookUrl = `${world.receiver.url}/a-secret-path?token=a-secret-word`;
    const prompt = "a told pier [sim:hold]";
    const { request_id: id } = await world.submit(prompt, { webhookUrl });
    await world.studio.inState(id, "running");
    const untried = { origin, status: "waiting", attempts: 0, triedAt: null, nextAt: null };
    expect(await world.shownOf(id)).toEqual({ ...untried, httpStatus: null, error: null });
    world.receiver.answers.push(503);
    world.studio.fal.release(prompt);
    await until("the try is noted", async () => (await world.rowOf(id))?.tried_at);
    const triedAt = world.clock.now();
    expect(await world.shownOf(id)).toEqual({
      ...{ origin, status: "waiting", attempts: 1, triedAt, nextAt: triedAt + 10_000 },
      ...{ httpStatus: 503, error: sentences.webhooks.answered({ status: 503 }) },
    });
    world.clock.advance(10_000);
    await world.deliver();
    await world.noted(id, "delivered");
    const delivered = { status: "delivered", attempts: 2, httpStatus: 204, error: null };
    expect(await world.shownOf(id)).toMatchObject({ ...delivered, nextAt: null });

    world.receiver.answers.push(410);
    const gone = (await world.submit("a gone app", { webhookUrl })).request_id;
    await world.noted(gone, "given-up");
    expect(await world.shownOf(gone)).toMatchObject({ status: "given-up", httpStatus: 410 });
    const all = await world.studio.person.call("getRun", { params: { runId: gone } });
    expect(JSON.stringify(all.body)).not.toMatch(/a-secret/);
  });

  it("a key revoked or a person gone before the run's end receives nothing", async () => {
    const world = await createWorld(await create());
    const prompt = "a secret [sim:hold]";
    const { request_id: id } = await world.submit(prompt);
    await world.studio.inState(id, "running");
    await world.studio.person.call("revokeKey", { params: { keyId: world.key.id } });
    world.studio.fal.release(prompt);
    await world.noted(id, "given-up");
    expect(world.receiver.received).toEqual([]);
  });

  it("a delivery due at two servers is sent once", async () => {
    const world = await createWorld(await create());
    world.receiver.answers.push(500);
    const { request_id: id } = await world.submit("twice due");
    await world.heard();
    await until("the try is noted", async () => (await world.rowOf(id))?.tried_at);
    world.clock.advance(10 * minute);
    await Promise.all([world.deliver(), world.deliver()]);
    await world.noted(id, "delivered");
    expect(world.receiver.received).toHaveLength(2);
  });

  it("a delivery claimed by a dead server is sent by another after the claim expires", async () => {
    const world = await createWorld(await create());
    const prompt = "a dead postman [sim:hold]";
    const { request_id: runId } = await world.submit(prompt);
    await world.studio.inState(runId, "running");
    const { instance, person } = world.studio;
    const now = world.clock.now();
    const claim = { now, waitMostMs: 60 * minute, untilMs: now + minute, most: 4 };
    const lane = { userId: person.user.id, origin: new URL(world.receiver.url).origin };
    const taken = (): Promise<unknown[]> =>
      instance.commit(({ tx }) => claimCalls(tx, { ...claim, ...lane }));
    expect(await taken()).toEqual([]);
    // The state of a claim whose server was killed at the moment the run ended.
    await instance.store.db
      .updateTable("run_webhook")
      .set({ next_at: now + minute })
      .execute();
    world.studio.fal.release(prompt);
    await world.studio.ended(runId);
    await world.deliver();
    expect(world.receiver.received).toEqual([]);
    world.clock.advance(minute);
    await world.deliver();
    await world.noted(runId, "delivered");
    expect(world.told()).toMatchObject([{ request_id: runId, status: "OK" }]);
  });

  it("an address in our own network needs an admin's approval, and none may contain a password or be endless", async () => {
    const world = await createWorld(await create(), { isAllowed: false });
    const refused = (webhookUrl: string) =>
      world.submit("nothing", { webhookUrl }).then(
        () => undefined,
        ({ status, body }) => [status, JSON.stringify(body.detail)],
      );
    for (const url of [
      world.receiver.url,
      "http://169.254.169.254/latest",
      "ftp://example.org/",
      "https://ada:secret@example.org/hook",
      `https://example.org/${"x".repeat(2_000)}`,
    ])
      expect(await refused(url)).toEqual([422, expect.stringContaining("webhookUrl")]);
    expect(await world.runs()).toEqual([]);
  });

  it("an origin that an admin no longer allows isn't called any more", async () => {
    const world = await createWorld(await create());
    const prompt = "a closed harbor [sim:hold]";
    const { request_id: id } = await world.submit(prompt);
    await world.studio.inState(id, "running");
    const { settings } = world.studio.instance.deps;
    const { appOrigins } = settings;
    onTestFinished(() => void Object.assign(settings, { appOrigins }));
    Object.assign(settings, { appOrigins: [] });
    world.studio.fal.release(prompt);
    await until("it was tried", async () => (await world.rowOf(id))?.tried_at);
    expect(world.receiver.received).toEqual([]);
    expect((await world.rowOf(id))?.last_error).toContain("not a public address");
  });
});
