import { expect, it } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

/** The effect of changing the task of a model behind an alias. */
onSqlite((create) => {
  async function build() {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { person } = studio;
    const named = (name: string): ModelRef => ({ connectionId: aliasConnectionId, modelId: name });
    const alias = async (name: string, task: string, models: ModelRef[]) =>
      expect(await person.call("createAlias", { body: { name, task, models } })).toMatchObject({
        status: 200,
      });
    const say = async ({ connectionId, modelId }: ModelRef, task: string) =>
      expect(
        await person.call("setModelFacts", {
          params: { connectionId },
          body: { modelId, facts: { task } },
        }),
      ).toMatchObject({
        status: 200,
      });
    const shown = async (name: string) => {
      const query = { projectId: person.projectId, model: name };
      return (
        await person.call<{ model: ModelDetail }>("getModel", {
          params: { connectionId: aliasConnectionId },
          query,
        })
      ).body.model;
    };
    const makeUnder = (name: string) => {
      const body = {
        projectId: person.projectId,
        task: "image",
        models: [named(name)],
        input: { prompt: "a quay" },
      };
      return person.call("createRuns", { body });
    };
    return { ...studio, named, alias, say, shown, makeUnder };
  }

  it("a picture alias moves on from a model reclassified as chat, with the next model's form, and says why", async () => {
    const studio = await build();
    const { models, named } = studio;
    await studio.alias("house-image", "image", [models.openaiImage, models.fal]);
    await studio.say(models.openaiImage, "chat");
    expect((await studio.shown("house-image")).inputSchema).toMatchObject({
      properties: { image_size: expect.anything() },
    });
    const run = await studio.make("a quay", {
      model: named("house-image"),
      input: { image_size: { width: 64, height: 64 } },
    });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", ...models.fal });
    const why = "The model does not support “Picture”. It supports “Chat”.";
    const passedOver = (await studio.events(run.id)).filter(
      ({ type }) => type === "model-passed-over",
    );
    expect(passedOver.map(({ payload }) => (payload as { reason: string }).reason)).toEqual([why]);
    expect(studio.openai.posts).toEqual([]);
    const { body } = await studio.person.call<{
      aliases: { models: { whyNot: string | null }[] }[];
    }>("listAliases");
    expect(body.aliases[0]?.models.map(({ whyNot }) => whyNot)).toEqual([why, null]);
  });

  it("an alias without any picture model refuses with the reason, sends nothing and keeps its form", async () => {
    const studio = await build();
    const { models } = studio;
    await studio.alias("one-image", "image", [models.openaiImage]);
    const before = await studio.shown("one-image");
    await studio.say(models.openaiImage, "chat");
    expect(await studio.makeUnder("one-image")).toMatchObject({
      body: {
        code: "model_gone",
        detail: expect.stringContaining("does not support “Picture”. It supports “Chat”"),
      },
    });
    expect(studio.openai.posts).toEqual([]);
    expect((await studio.shown("one-image")).inputSchema).toEqual(before.inputSchema);
    await studio.say(models.openaiImage, "image");
    expect(await studio.makeUnder("one-image")).toMatchObject({ status: 200 });
  });

  it("a chat alias answers with the next model if its first was reclassified as a picture model", async () => {
    const studio = await build();
    const { models, named, person } = studio;
    await studio.alias("house-chat", "chat", [models.openai, models.ollama]);
    await studio.say(models.openai, "image");
    const said = await person.call<{ run: { id: string } }>("sendMessage", {
      params: { conversationId: await studio.startConversation() },
      body: {
        parentId: null,
        text: "hello",
        attachments: [],
        ask: { model: named("house-chat"), settings: {} },
      },
    });
    expect(said.status).toBe(200);
    expect(await studio.ended(said.body.run.id)).toMatchObject({
      state: "succeeded",
      ...models.ollama,
    });
    expect(studio.openai.posts).toEqual([]);
  });
});
