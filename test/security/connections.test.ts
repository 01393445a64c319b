import { expect, it } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { Connection } from "#contract/entities.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import { connect } from "#engine/connections/connect.ts";
import { type Adapter, ProviderError } from "#providers/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { insertMember } from "#store/people/projects.ts";
import { openCanvas } from "../support/browser/canvas.ts";
import { onSqlite } from "../support/databases/databases.ts";
import { createInstance } from "../support/server/instance.ts";
import { createStudio } from "../support/studio/studio.ts";

const address = "https://api.example.org/inside/v1";

onSqlite((create) => {
  it("only people who manage a connection read its address and its service's messages", async () => {
    let fails = false;
    const breaking: Adapter = {
      ...openaiCompatible,
      async check() {
        if (!fails) return { message: "It answers." };
        throw new ProviderError(
          "provider_unreachable",
          "no",
          { message: "It has ended." },
          { aside: "It wrote: canary" },
        );
      },
      async *models() {},
    };
    const instance = await createInstance(await create(), {
      adapters: [breaking],
      endsWithTest: true,
    });
    const admin = await instance.createPerson("ada@example.org", { role: "owner" });
    const member = await instance.createPerson("eve@example.org");
    const readers = [
      member,
      await instance.createKey(member, { scopes: ["models:read"] }),
      await instance.createKey(admin, { scopes: ["models:read"] }),
    ];
    const wish = {
      kind: "openai-compatible",
      name: "Ours",
      scope: "instance" as const,
      userId: admin.user.id,
    };
    const made = await connect(instance.engineDeps, {
      ...wish,
      values: { api: address, key: "k" },
    });
    const params = { connectionId: made.connection.id };
    const read = async (who: Pick<typeof admin, "call">) => {
      const { connections } = (await who.call<{ connections: Connection[] }>("listConnections"))
        .body;
      const { connection } = (
        await who.call<{ connection: Connection }>("getConnection", { params })
      ).body;
      return [connections.find(({ id }) => id === connection.id)!, connection];
    };

    fails = true;
    const checked = await admin.call("checkConnection", { params });
    expect(checked.body).toMatchObject({
      code: "provider_unreachable",
      detail: "It has ended. It wrote: canary",
    });

    for (const seen of await read(admin)) {
      expect(seen).toMatchObject({
        baseUrls: { api: address },
        status: "failing",
        statusDetail: "It has ended.",
      });
      expect(Object.keys(seen.options)).not.toEqual([]);
    }
    for (const who of readers)
      for (const seen of await read(who))
        expect(seen).toMatchObject({
          name: "Ours",
          status: "failing",
          baseUrls: {},
          options: {},
          statusDetail: null,
        });
  });

  it("a paused service's own words are shown only to people who manage its connection", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { instance, person: admin, models } = studio;
    const url = await instance.listen();
    const member = await instance.createPerson("eve@example.org");
    const at = instance.deps.clock.now();
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId: admin.projectId, userId: member.user.id, role: "editor", at }),
    );
    const ofAdmin = await instance.createKey(admin, { scopes: ["runs:read"] });
    await instance.engine.changeConnection(models.fal.connectionId, {
      values: { realtimeModels: "sim/lcm" },
    });
    await checkConnection(instance.engineDeps, models.fal.connectionId);
    const body = { name: "house-image", task: "image", models: [models.fal, models.openaiImage] };
    expect((await admin.call("createAlias", { body })).status).toBe(200);
    const canary = "Account 4711 of 10.0.0.7 is locked.";
    await studio.leaveAlone(models.fal.connectionId, {
      detail: canary,
      paused_until: at + 600_000,
    });
    const isFailing = { status: "failing", status_detail: canary } as const;
    await instance.store.db
      .updateTable("connection")
      .set(isFailing)
      .where("id", "=", models.fal.connectionId)
      .execute();

    const waiting = await studio.make("a picture that waits");
    const pauseOf = async (who: Pick<typeof admin, "call">) =>
      (
        await who.call<{ waitsFor: { reason: string; notBefore: number } }>("getRun", {
          params: { runId: waiting.id },
        })
      ).body.waitsFor;
    const notBefore = at + 600_000;
    expect(await pauseOf(admin)).toEqual({ reason: canary, notBefore });
    for (const who of [member, ofAdmin])
      expect(await pauseOf(who)).toEqual({
        reason: expect.stringMatching(/^This connection’s quota is used up\./),
        notBefore,
      });

    const passed = await studio.make("a picture of another", {
      who: member,
      model: { connectionId: aliasConnectionId, modelId: body.name },
    });
    expect(passed).toMatchObject(models.openaiImage);
    const shown = await member.call<{ passedOver: { reason: string }[] }>("getRun", {
      params: { runId: passed.id },
    });
    expect(shown.body.passedOver.map(({ reason }) => reason)).toEqual([
      "This connection’s quota is used up. Runs wait and are retried later.",
    ]);
    expect(JSON.stringify(await studio.events(passed.id))).not.toContain(canary);
    expect(JSON.stringify((await admin.call("listAliases")).body)).toContain(canary);

    const canvas = await openCanvas(url, member.cookie);
    const live = { connectionId: models.fal.connectionId, modelId: "sim/lcm" };
    canvas.say({
      start: { projectId: member.projectId, model: live, settings: { prompt: "a boat" } },
    });
    const { failed } = await canvas.heard("failed");
    expect(failed.problem).toMatchObject({
      code: "unavailable",
      detail: expect.stringContaining("is used up"),
    });
    expect(JSON.stringify(failed)).not.toContain(canary);
    canvas.ws.terminate();
    await studio.ended(passed.id);
  });
});
