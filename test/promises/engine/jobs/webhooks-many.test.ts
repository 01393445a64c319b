import { expect, it } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { createDeliverer } from "#engine/webhooks/deliver.ts";
import { insertDelivery } from "#store/webhooks/hooks.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { startHookReceiver } from "../../../support/studio/hook-receiver.ts";
import { createStudio } from "../../../support/studio/studio.ts";

const most = 10_000;
const atOnce = 500;

forEachDatabase((_, create) => {
  it(`${most} deliveries to an unreachable address hold up no run and no other address`, async () => {
    const [away, receiver] = await Promise.all([startHookReceiver(), startHookReceiver()]);
    away.always(503);
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { person, instance } = studio;
    const params = { projectId: person.projectId };
    const add = async (url: string) =>
      (await person.call<{ id: string }>("addProjectWebhook", { params, body: { url } })).body.id;
    const awayId = await add(away.url);
    await instance.commit(async ({ tx }) => {
      await insertDelivery(tx, {
        id: instance.deps.ids(),
        endpointId: awayId,
        event: "test",
        data: {},
        onlyFor: null,
        at: Date.now(),
      });
      const row = await tx.selectFrom("webhook_out").selectAll().executeTakeFirstOrThrow();
      for (let i = 1; i < most; i += atOnce) {
        const rows = Array.from({ length: Math.min(atOnce, most - i) }, () => ({
          ...row,
          id: instance.deps.ids(),
        }));
        await tx.insertInto("webhook_out").values(rows).execute();
      }
    });
    await add(receiver.url);
    const run = await studio.make("one");
    expect((await studio.ended(run.id)).state).toBe("succeeded");
    await until("the other address has heard", async () =>
      receiver.told().some(({ data }) => data.run?.id === run.id),
    );
    // A failing webhook is sent one delivery at a time, with pauses.
    expect(away.received.length).toBeLessThan(100);
    const listed = async () =>
      (await person.call<RouteOutput<"listProjectWebhooks">>("listProjectWebhooks", { params }))
        .body.webhooks;
    await until("the address that is away is known to fail", async () =>
      (await listed()).some(({ id, failingSince }) => id === awayId && failingSince !== null),
    );
    const webhooks = await listed();
    expect(webhooks[0]!.id).toBe(awayId);
    expect(webhooks[0]!.waiting).toBeGreaterThan(most - 100);
  });

  it("two servers share an unreachable address's deliveries, and send each once", async () => {
    const receiver = await startHookReceiver();
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { start: false },
    });
    const { person, instance } = studio;
    const made = await person.call<{ id: string }>("addProjectWebhook", {
      params: { projectId: person.projectId },
      body: { url: receiver.url },
    });
    const count = 60;
    await instance.commit(async ({ tx }) => {
      for (let i = 0; i < count; i++)
        await insertDelivery(tx, {
          id: instance.deps.ids(),
          endpointId: made.body.id,
          event: "test",
          data: { i },
          onlyFor: null,
          at: Date.now(),
        });
    });
    await Promise.all([
      createDeliverer(instance.engineDeps).settled(),
      createDeliverer(instance.engineDeps).settled(),
    ]);
    expect(receiver.received).toHaveLength(count);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(count);
  });
});
