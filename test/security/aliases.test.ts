import { expect, it, onTestFinished } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, RunEvent } from "#contract/entities.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import { until } from "../support/server/instance.ts";
import { openLive } from "../support/server/live-socket.ts";
import { createStudio } from "../support/studio/studio.ts";

/** The name and id that would reveal the skipped model. */
const name = /flux/i;

forEachDatabase((_, create) => {
  it("only people who manage aliases see the models behind one, and everyone sees why a model was skipped", async () => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { instance, person: admin, models } = studio;
    const url = await instance.listen();
    const member = await instance.createPerson("eve@example.org");
    const at = instance.deps.clock.now();
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId: admin.projectId, userId: member.user.id, role: "editor", at }),
    );
    const ofAdmin = await instance.createKey(admin, { scopes: ["runs:read"] });
    for (const [alias, behind] of [
      ["house-image", [models.fal, models.openaiImage]] as const,
      ["one", [models.fal]] as const,
    ])
      expect(
        (await admin.call("createAlias", { body: { name: alias, task: "image", models: behind } }))
          .status,
      ).toBe(200);
    await instance.store.db
      .updateTable("connection")
      .set({ status: "disabled" })
      .where("id", "=", models.fal.connectionId)
      .execute();

    const made = await studio.make("a quay", {
      model: { connectionId: aliasConnectionId, modelId: "house-image" },
    });
    const { lastSeq } = await studio.ended(made.id);
    const given = { params: { runId: made.id } };
    const detail = async (who: Pick<typeof admin, "call">) =>
      (await who.call<{ passedOver: { name: string | null; reason: string }[] }>("getRun", given))
        .body;
    const reason = "Its connection is disabled.";
    expect((await detail(admin)).passedOver).toMatchObject([
      { name: expect.stringMatching(name), reason },
    ]);
    for (const who of [member, ofAdmin]) {
      const shown = await detail(who);
      expect(shown.passedOver).toEqual([{ name: null, reason }]);
      expect(JSON.stringify(shown)).not.toMatch(name);
    }
    const log = await member.call<{ events: RunEvent[] }>("listRunEvents", {
      ...given,
      query: { after: "0" },
    });
    expect(log.body.events.map(({ type }) => type)).toContain("model-passed-over");
    expect(JSON.stringify(log.body)).not.toMatch(name);
    const stream = await fetch(`${url}/api/v1/runs/${made.id}/events`, {
      headers: { cookie: member.cookie },
    });
    const streamed = await stream.text();
    expect(streamed).toContain(reason);
    expect(streamed).not.toMatch(name);

    const live = await openLive(url, member.cookie);
    onTestFinished(() => live.drop());
    live.subscribe(`run:${made.id}`, 0);
    const heard = (seq: number) =>
      until("it came", async () => live.events(made.id).some((event) => event.seq === seq));
    await heard(lastSeq);
    // As sent immediately, without reading the rows.
    const payload = { alias: "house-image", ...models.fal, name: "Flux", reason };
    instance.deps.hub.tell({
      events: [{ runId: made.id, seq: lastSeq + 1, type: "model-passed-over", payload, at }],
      changes: [],
    });
    await heard(lastSeq + 1);
    expect(live.events(made.id).filter(({ type }) => type === "model-passed-over")).toHaveLength(2);
    expect(JSON.stringify(live.frames)).not.toMatch(name);

    const query = { projectId: member.projectId, model: "house-image" };
    const { body } = await member.call<{ model: ModelDetail }>("getModel", {
      params: { connectionId: aliasConnectionId },
      query,
    });
    expect(body.model.description).not.toMatch(name);
    await instance.store.db
      .updateTable("connection")
      .set({ status: "ok" })
      .where("id", "=", models.fal.connectionId)
      .execute();
    const words = {
      message: "Rate limit reached for sim-image in house org-1",
      type: "requests",
      code: "rate_limit_exceeded",
    };
    studio.openai.script({ fault: { kind: "status", status: 429, body: { error: words } } });
    const ask = { name: "other", task: "image", models: [models.openaiImage, models.fal] };
    expect((await admin.call("createAlias", { body: ask })).status).toBe(200);
    const next = await studio.make("a pier", {
      model: { connectionId: aliasConnectionId, modelId: "other" },
    });
    expect(await studio.ended(next.id)).toMatchObject({ state: "succeeded", ...models.fal });
    const nextGiven = { params: { runId: next.id } };
    const forMember = JSON.stringify([
      await member.call("getRun", nextGiven),
      await member.call("listRunEvents", { ...nextGiven, query: { after: "0" } }),
    ]);
    expect(forMember).toContain("The provider’s rate limit was reached.");
    expect(forMember).not.toMatch(/sim-image|org-1/);
    expect(JSON.stringify(await admin.call("getRun", nextGiven))).toContain(words.message);
    await instance.store.db
      .updateTable("model")
      .set({ status: "gone" })
      .where("connection_id", "=", models.fal.connectionId)
      .execute();
    const input = { prompt: "a quay" };
    const refused = await member.call("createRuns", {
      body: {
        projectId: member.projectId,
        task: "image",
        models: [{ connectionId: aliasConnectionId, modelId: "one" }],
        input,
      },
    });
    expect(refused.body).toMatchObject({
      code: "model_gone",
      detail: "No model of one is available. The connection no longer offers this model.",
    });
    expect(JSON.stringify(refused.body)).not.toMatch(name);
  });
});
