import { expect, it } from "vitest";
import type { ModelDetail } from "#contract/entities.ts";
import { shapeOf } from "#engine/plan/context/shape.ts";
import { updateConversation } from "#store/content/conversations.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

const schema = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};

onSqlite((create) => {
  async function build(shape: unknown) {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const conversationId = await studio.startConversation();
    const settings = { shape } as Record<string, unknown>;
    await studio.instance.commit((unit) => updateConversation(unit, conversationId, { settings }));
    return { ...studio, conversationId };
  }

  it("a conversation's schema goes to the model with each question, and is saved with the run", async () => {
    const studio = await build({ schema });
    studio.openai.script({ text: '{"name": "Ada"}' });
    const { run, answer } = await studio.ask("who?", "openai", {
      conversationId: studio.conversationId,
    });
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      input: { answerShape: { schema } },
    });
    expect(studio.openai.posts[0]!.body).toMatchObject({
      response_format: { type: "json_schema", json_schema: { schema, strict: true } },
    });
    expect(textOfMessage(await studio.messageOf(answer.id))).toBe('{"name": "Ada"}');
  });

  it("an invalid schema is refused before anything is sent", async () => {
    const studio = await build({ schema: { type: "strin" } });
    const said = studio.ask("who?", "openai", { conversationId: studio.conversationId });
    await expect(said).rejects.toMatchObject({
      code: "invalid_input",
      detail: { field: "settings.shape" },
    });
    expect(studio.openai.posts).toEqual([]);
  });

  it("a model without schema support isn't called with the schema left out", async () => {
    const studio = await build({ schema });
    const { kinds } = studio.instance.engine.deps;
    const { model } = (
      await studio.person.call<{ model: ModelDetail }>("getModel", modelAt(studio))
    ).body;
    const without = new Map(
      [...kinds].map(([name, kind]) => [name, { ...kind, lacks: ["answerShape" as const] }]),
    );
    expect(shapeOf({ kinds }, model, { shape: { schema } })).toMatchObject({ schema });
    expect(() => shapeOf({ kinds: without }, model, { shape: { schema } })).toThrow(
      /does not support structured output here/,
    );
    expect(shapeOf({ kinds: without }, model, {})).toBeUndefined();
  });
});

const modelAt = ({ models: { openai }, person }: Pick<Studio, "models" | "person">) => ({
  params: { connectionId: openai.connectionId },
  query: { projectId: person.projectId, model: openai.modelId },
});
