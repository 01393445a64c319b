import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { hookBodies } from "#contract/webhooks.schemas.ts";
import { createDeliverer } from "#engine/webhooks/deliver.ts";
import { updateUser } from "#store/people/people.ts";
import { changeMember, insertMember } from "#store/people/projects.ts";
import { insertDelivery } from "#store/webhooks/hooks.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { type Caller, until } from "../../../support/server/instance.ts";
import { startHookReceiver } from "../../../support/studio/hook-receiver.ts";
import { createStudio } from "../../../support/studio/studio.ts";

type Listed = RouteOutput<"listProjectWebhooks">["webhooks"][number];

async function createWorld(database: TestDatabase) {
  const receiver = await startHookReceiver();
  const studio = await createStudio(database, { endsWithTest: true });
  const { instance, person } = studio;
  const projectId = person.projectId;
  const addOf = async (who: Caller, body: object = {}) => {
    const made = await who.call<{ id: string; secret: string }>("addProjectWebhook", {
      params: { projectId },
      body: { url: receiver.url, ...body },
    });
    if (made.status !== 200) throw new Error(JSON.stringify(made.body));
    return made.body;
  };
  const told = (runId: string) => receiver.told().filter(({ data }) => data.run?.id === runId);
  return {
    ...studio,
    receiver,
    projectId,
    add: (body?: object) => addOf(person, body),
    addOf,
    told,
    /** Waits until the webhook has received it. */
    heard: (runId: string) => until("the address has heard", async () => told(runId)[0]),
    deliver: () => createDeliverer(instance.engineDeps).settled(),
    listed: async () =>
      (await person.call<{ webhooks: Listed[] }>("listProjectWebhooks", { params: { projectId } }))
        .body.webhooks,
    waiting: () =>
      instance.store.db
        .selectFrom("webhook_out")
        .selectAll()
        .where("status", "=", "waiting")
        .execute(),
  };
}

forEachDatabase((_, create) => {
  it("the end of a run is delivered at once, with its cost and results and nothing of its input", async () => {
    const world = await createWorld(await create());
    const { secret } = await world.add();
    const run = await world.make("a lighthouse that nobody may read of");
    await world.heard(run.id);
    const [first] = world.receiver.received;
    const body = new Webhook(secret).verify(first!.body, first!.headers);
    expect(hookBodies["run.succeeded"].strict().parse(body)).toEqual(body);
    const [asset] = await world.assetsOf(run.id);
    const { costMicros, finishedAt } = await world.runOf(run.id);
    expect(body).toMatchObject({
      type: "run.succeeded",
      data: {
        run: {
          id: run.id,
          projectId: world.projectId,
          state: "succeeded",
          costMicros,
          finishedAt,
          assetIds: [asset!.id],
        },
      },
    });
    expect(first!.body).not.toContain("lighthouse");
    // It arrives before its delivery is recorded.
    await until("it is noted", async () => (await world.listed())[0]?.waiting === 0);
    expect(await world.listed()).toMatchObject([
      { waiting: 0, failingSince: null, last: { status: "delivered" } },
    ]);
  });

  it("a failed, canceled or unconfirmed run is delivered under its own event name to every subscriber", async () => {
    const world = await createWorld(await create());
    await world.add({ events: ["run.failed", "run.cancelled", "run.unconfirmed"] });
    const good = await world.make("good");
    await world.ended(good.id);
    const failed = await world.make("one [sim:422]");
    const lost = await world.make("two [sim:lost-reply]");
    const cancelled = await world.make("three [sim:hold-queue]");
    await world.inState(cancelled.id, "submitted");
    await world.person.call("cancelRun", { params: { runId: cancelled.id } });
    expect(await world.heard(failed.id)).toMatchObject({
      type: "run.failed",
      data: { run: { error: { code: expect.any(String) } } },
    });
    expect(await world.heard(lost.id)).toMatchObject({
      type: "run.unconfirmed",
      data: { run: { state: "unconfirmed", finishedAt: null } },
    });
    expect(await world.heard(cancelled.id)).toMatchObject({ type: "run.cancelled" });
    expect(world.told(good.id)).toEqual([]);
    // A person's decision ends the unconfirmed run.
    await world.person.call("resolveRun", {
      params: { runId: lost.id },
      body: { outcome: "not-made" },
    });
    await until("its end is told too", async () => world.told(lost.id).length === 2);
    expect(world.told(lost.id)[1]).toMatchObject({ type: "run.failed" });
  });

  it("an address gets its maker's own conversations, nobody else's, and nothing while its maker may not manage the project", async () => {
    const world = await createWorld(await create());
    const { instance, projectId } = world;
    const bob = await instance.createPerson("bob@example.org", { role: "admin" });
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: bob.user.id, role: "manager", at: 0 }),
    );
    await world.addOf(bob);
    const { run } = await world.ask("private words");
    await world.ended(run.id);
    const shared = await world.make("one");
    await world.heard(shared.id);
    expect(world.told(run.id)).toEqual([]);
    const mine = await world.add();
    const again = await world.ask("private words");
    await world.heard(again.run.id);
    expect(world.told(again.run.id)).toHaveLength(1);
    await world.person.call("removeWebhook", { params: { webhookId: mine.id } });

    await instance.commit(({ tx }) => changeMember(tx, projectId, bob.user.id, "editor"));
    const unheard = await world.make("two");
    await world.ended(unheard.id);
    expect(await world.waiting()).toEqual([]);
    await instance.commit(({ tx }) => changeMember(tx, projectId, bob.user.id, "manager"));
    await instance.commit(({ tx }) => updateUser(tx, bob.user.id, { status: "suspended" }));
    await world.ended((await world.make("three")).id);
    expect(await world.waiting()).toEqual([]);
    expect(await world.listed()).toMatchObject([
      { isAnsweredFor: false, maker: { id: bob.user.id } },
    ]);
    // Another member of the project takes it over.
    const [{ id } = { id: "" }] = await world.listed();
    await world.person.call("updateWebhook", { params: { webhookId: id }, body: { resume: true } });
    await world.heard((await world.make("four")).id);
    expect(await world.listed()).toMatchObject([
      { isAnsweredFor: true, maker: { id: world.person.user.id } },
    ]);
  });

  it("deliveries for a suspended maker's address are not sent", async () => {
    const world = await createWorld(await create());
    const bob = await world.instance.createPerson("bob@example.org", { role: "admin" });
    await world.instance.commit(({ tx }) =>
      insertMember(tx, { projectId: world.projectId, userId: bob.user.id, role: "manager", at: 0 }),
    );
    const { id } = await world.addOf(bob);
    await world.instance.commit(async ({ tx }) => {
      await updateUser(tx, bob.user.id, { status: "suspended" });
      await insertDelivery(tx, {
        id: world.instance.deps.ids(),
        endpointId: id,
        event: "test",
        data: {},
        onlyFor: null,
        at: Date.now(),
      });
    });
    await world.deliver();
    expect(world.receiver.received).toEqual([]);
    expect(await world.listed()).toMatchObject([
      { last: { status: "given-up", error: expect.stringContaining("can no longer see") } },
    ]);
  });

  it("keeping a picture is delivered once", async () => {
    const world = await createWorld(await create());
    await world.add({ events: ["asset.kept"] });
    const run = await world.make("one");
    await world.ended(run.id);
    const [asset] = await world.assetsOf(run.id);
    const act = (action: string) =>
      world.person.call("updateAssets", {
        body: { projectId: world.projectId, ids: [asset!.id], action },
      });
    await act("keep");
    await act("keep");
    await world.person.call("updateAsset", { params: { assetId: asset!.id }, body: { rating: 3 } });
    await until("it is told", async () => world.receiver.received.length > 0);
    await world.deliver();
    expect(world.receiver.told()).toMatchObject([
      { type: "asset.kept", data: { asset: { id: asset!.id, runId: run.id } } },
    ]);
    expect(hookBodies["asset.kept"].safeParse(world.receiver.told()[0]).success).toBe(true);
  });

  it("a slow address holds up no other, and a delivery that times out is retried", async () => {
    const world = await createWorld(await create());
    const slow = await startHookReceiver();
    slow.always(() => undefined);
    const { id } = await world.add({ url: slow.url });
    await world.add();
    for (let i = 0; i < 10; i++)
      await world.person.call("testWebhook", { params: { webhookId: id } });
    await until("it is asked", async () => slow.received.length > 0);
    await world.heard((await world.make("one")).id);
    expect(slow.received.length).toBeLessThanOrEqual(4);
  });

  it("removing an address while runs end affects no run", async () => {
    const world = await createWorld(await create());
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await world.add()).id));
    const runs = await Promise.all(Array.from({ length: 8 }, (_, i) => world.make(`picture ${i}`)));
    for (const webhookId of ids)
      expect((await world.person.call("removeWebhook", { params: { webhookId } })).status).toBe(
        200,
      );
    for (const run of runs) expect((await world.ended(run.id)).state).toBe("succeeded");
    expect(await world.instance.store.db.selectFrom("webhook_out").selectAll().execute()).toEqual(
      [],
    );
  });
});
