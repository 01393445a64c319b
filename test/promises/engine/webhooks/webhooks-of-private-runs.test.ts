import { expect, it } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { createDeliverer } from "#engine/webhooks/deliver.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { type Caller, until } from "../../../support/server/instance.ts";
import { startHookReceiver } from "../../../support/studio/hook-receiver.ts";
import { createStudio } from "../../../support/studio/studio.ts";

/**
 * Ada's webhook in a project that Bob manages too, with the end of a private run of hers and of one
 * visible to everyone.
 */
async function createWorld(database: TestDatabase, answer: number) {
  const receiver = await startHookReceiver();
  receiver.always(answer);
  const studio = await createStudio(database, { endsWithTest: true });
  const { instance, person: ada } = studio;
  const bob = await instance.createPerson("bob@example.org", { role: "admin" });
  await instance.commit(({ tx }) =>
    insertMember(tx, { projectId: ada.projectId, userId: bob.user.id, role: "manager", at: 0 }),
  );
  const made = await ada.call<{ id: string }>("addProjectWebhook", {
    params: { projectId: ada.projectId },
    body: { url: receiver.url },
  });
  const webhookId = made.body.id;
  const { run } = await studio.ask("private words");
  const shared = await studio.make("a picture for everyone");
  for (const { id } of [run, shared]) await studio.ended(id);
  const deliver = () => createDeliverer(instance.engineDeps).settled();
  const deliveryOf = async (runId: string) => {
    const rows = await instance.store.db.selectFrom("webhook_out").selectAll().execute();
    return rows.find(({ payload }) => payload.includes(runId));
  };
  await until(
    "both were tried",
    async () => (await deliveryOf(run.id))?.tried_at && (await deliveryOf(shared.id))?.tried_at,
  );
  return {
    studio,
    ada,
    bob,
    receiver,
    webhookId,
    privateId: run.id,
    sharedId: shared.id,
    deliver,
    deliveryOf,
    setWaiting: async (runId: string) => {
      const { id = "" } = (await deliveryOf(runId)) ?? {};
      await instance.commit(async ({ tx }) => {
        await tx
          .updateTable("webhook_out")
          .set({ status: "waiting", next_at: 0 })
          .where("id", "=", id)
          .execute();
      });
    },
    seenBy: async (who: Caller): Promise<string[]> => {
      const { body } = await who.call<RouteOutput<"listDeliveries">>("listDeliveries", {
        params: { webhookId },
      });
      return body.deliveries.map(({ payload }) => JSON.parse(payload).data.run.id);
    },
    again: async (who: Caller, runId: string): Promise<number> => {
      const delivery = await deliveryOf(runId);
      return (
        await who.call("deliverAgain", { params: { webhookId, deliveryId: delivery?.id ?? "" } })
      ).status;
    },
  };
}

const told = ({ received }: { received: { body: string }[] }, runId: string) =>
  received.filter(({ body }) => body.includes(runId)).length;

forEachDatabase((_, create) => {
  it("another manager neither sees nor resends a webhook's deliveries of its maker's private runs", async () => {
    const { ada, bob, seenBy, again, privateId, sharedId } = await createWorld(await create(), 204);
    expect((await seenBy(ada)).sort()).toEqual([privateId, sharedId].sort());
    expect(await seenBy(bob)).toEqual([sharedId]);
    expect(await again(bob, privateId)).toBe(404);
    expect(await again(bob, sharedId)).toBe(200);
    expect(await again(ada, privateId)).toBe(200);
  });

  it("an address's status is shown to other managers without deliveries of private runs", async () => {
    const { studio, ada, bob, deliveryOf, privateId } = await createWorld(await create(), 204);
    const row = (await deliveryOf(privateId))!;
    // The newest of all, and not due yet.
    const newest = {
      id: "ffffffff-ffff-7fff-bfff-ffffffffffff",
      status: "waiting",
      next_at: Date.now() + 3_600_000,
    } as const;
    await studio.instance.store.db
      .insertInto("webhook_out")
      .values({ ...row, ...newest, last_error: "The webhook returned 500." })
      .execute();
    const standing = async (who: Caller) =>
      (
        await who.call<RouteOutput<"listProjectWebhooks">>("listProjectWebhooks", {
          params: { projectId: ada.projectId },
        })
      ).body.webhooks;
    expect(await standing(ada)).toMatchObject([
      { waiting: 1, last: { status: "waiting", error: "The webhook returned 500." } },
    ]);
    expect(await standing(bob)).toMatchObject([
      { waiting: 0, last: { status: "delivered", error: null } },
    ]);
  });

  it("a manager who takes over an address gets none of its waiting deliveries of others' private runs", async () => {
    const world = await createWorld(await create(), 500);
    const { ada, bob, webhookId, privateId, sharedId, deliver, deliveryOf } = world;
    const elsewhere = await startHookReceiver();
    expect(
      (await bob.call("updateWebhook", { params: { webhookId }, body: { url: elsewhere.url } }))
        .status,
    ).toBe(200);
    expect(await deliveryOf(privateId)).toMatchObject({
      status: "given-up",
      last_error: expect.stringContaining("new owner"),
    });
    await world.setWaiting(sharedId);
    await until("what is everyone's arrives", async () => {
      await deliver();
      return told(elsewhere, sharedId) > 0;
    });
    expect(await world.again(bob, privateId)).toBe(404);
    expect(await world.again(ada, privateId)).toBe(404);
    // An attempt that was active during the takeover of the webhook puts the delivery back into the
    // queue.
    await world.setWaiting(privateId);
    await until("it is given up", async () => {
      await deliver();
      return (await deliveryOf(privateId))?.status === "given-up";
    });
    expect(told(elsewhere, privateId)).toBe(0);
    // Ada has taken the webhook back, so she may send it.
    await ada.call("updateWebhook", { params: { webhookId }, body: { url: world.receiver.url } });
    expect(await world.again(ada, privateId)).toBe(200);
  });
});
