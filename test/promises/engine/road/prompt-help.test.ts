import { Readable } from "node:stream";
import sharp from "sharp";
import { expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { insertMember } from "#store/people/projects.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

onSqlite((create) => {
  async function build() {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { instance, person } = studio;
    const other = await instance.createPerson("grace@example.org");
    await instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: person.projectId,
        userId: other.user.id,
        role: "editor",
        at: Date.now(),
      }),
    );
    const ask = (body: object, who = person) =>
      who.call<{ run: Run }>("askPrompt", {
        params: { projectId: person.projectId },
        body: { model: studio.models.openai, ...body },
      });
    const bytes = await sharp({
      create: { width: 8, height: 8, channels: 3, background: "#334455" },
    })
      .png()
      .toBuffer();
    const upload = (visibility: "project" | "author") =>
      saveUpload(instance.engine.deps, {
        projectId: person.projectId,
        userId: person.user.id,
        visibility,
        name: "sea.png",
        source: Readable.from([bytes]),
      });
    return { ...studio, other, ask, upload };
  }

  it("an improved prompt is one private run, and an identical request costs nothing", async () => {
    const studio = await build();
    const { body } = await studio.ask({ prompt: "a {red|green} boat", idempotencyKey: "once" });
    const done = await studio.ended(body.run.id);
    expect(done).toMatchObject({
      state: "succeeded",
      task: "chat",
      visibility: "author",
      batchId: null,
      messageId: null,
    });
    const again = await studio.ask({ prompt: "a {red|green} boat", idempotencyKey: "once" });
    expect(again.body.run.id).toBe(done.id);
    const seen = await studio.person.call<{ run: Run }>("getRun", {
      params: { runId: done.id },
    });
    expect(seen.body.run.result?.parts).toMatchObject([{ type: "text" }]);
    const others = await studio.other.call("getRun", { params: { runId: done.id } });
    expect(others.status).toBe(404);
    const sent = JSON.stringify(studio.openai.posts.at(-1)?.body);
    expect(sent).toContain("a {red|green} boat");
    expect(sent).toContain("exactly as they are");
  });

  it("only people who can see a picture get it described, and only by a model that reads pictures", async () => {
    const studio = await build();
    const picture = await studio.upload("author");
    const refused = await studio.ask({ assetId: picture.id });
    expect(refused).toMatchObject({ status: 422, body: { field: "model" } });
    expect(JSON.stringify(refused.body)).toContain("can’t read pictures");
    await studio.instance.store.db
      .updateTable("model")
      .set({ input_modalities: JSON.stringify(["text", "image"]) })
      .where("model_id", "=", studio.models.openai.modelId)
      .execute();
    const { body } = await studio.ask({ assetId: picture.id });
    expect(await studio.ended(body.run.id)).toMatchObject({ state: "succeeded" });
    expect(JSON.stringify(studio.openai.posts.at(-1)?.body)).toContain("image_url");
    const stranger = await studio.ask({ assetId: picture.id }, studio.other);
    expect(JSON.stringify(stranger.body)).not.toContain("sea.png");
  });

  it("either a prompt or a picture is submitted, never both or neither", async () => {
    const studio = await build();
    expect((await studio.ask({})).status).toBe(422);
    expect((await studio.ask({ prompt: "a", assetId: "b" })).status).toBe(422);
  });
});
