import { expect, it, onTestFinished } from "vitest";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { connect } from "#engine/connections/connect.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import { startOpenAi } from "../../../simulators/openai.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { createStudio, testAdapters, textOfMessage } from "../../../support/studio/studio.ts";

const adapters = [...testAdapters, openai];
const prices = [
  { unit: "input token", micros: "1" },
  { unit: "output token", micros: "2" },
  { unit: "code session", micros: "30000" },
  { unit: "tool picture", micros: "40000" },
].map((price) => ({ ...price, source: "test", at: 0 }));

async function createWorld(database: TestDatabase) {
  const studio = await createStudio(database, { endsWithTest: true, instance: { adapters } });
  const simulator = await startOpenAi();
  onTestFinished(() => simulator.stop());
  const { instance, person } = studio;
  const { connection } = await connect(instance.engine.deps, {
    kind: "openai",
    name: "OpenAI",
    scope: "instance",
    userId: person.user.id,
    values: { key: simulator.key, api: simulator.url },
  });
  await instance.store.db
    .updateTable("model")
    .set({ price: JSON.stringify(prices) })
    .where("model_id", "=", "gpt-5.5")
    .execute();
  return {
    ...studio,
    simulator,
    ask: async (settings: object) => {
      const { answer, run } = await admitMessage(
        instance.engine.deps,
        { userId: person.user.id },
        {
          conversationId: await studio.startConversation(),
          parentId: null,
          text: "Draw the boats as a table",
          attachments: [],
          ask: {
            model: { connectionId: connection.id, modelId: "gpt-5.5" },
            settings: { ...settings },
          },
        },
      );
      return { answer: answer!, run: run! };
    },
  };
}

forEachDatabase((_, create) => {
  it("what tools at the provider make is saved with the answer, shown, and paid by use", async () => {
    const world = await createWorld(await create());
    world.simulator.script({ text: ["Here", " it is"], toolUses: 1 });
    const { answer, run } = await world.ask({ codeInterpreter: true, imageTool: true });
    const ended = await world.ended(run.id);
    expect(ended).toMatchObject({
      state: "succeeded",
      error: null,
      costBasis: "known",
      usage: { units: { "code sessions": "1", "tool pictures": "1" } },
    });
    const { inputTokens = 0, outputTokens = 0 } = ended.usage as {
      inputTokens?: number;
      outputTokens?: number;
    };
    expect(ended.costMicros).toBe(70_000 + inputTokens + 2 * outputTokens);
    const message = await world.messageOf(answer.id);
    expect(textOfMessage(message)).toBe("Here it is");
    expect(JSON.stringify(message.parts)).toContain("print(0)");
    const assets = await world.assetsOf(run.id);
    expect(assets.map(({ mime }) => mime).sort()).toEqual(["image/png", "text/csv"]);
    for (const { id } of assets) expect(JSON.stringify(message.parts)).toContain(id);
  });

  it("under a blocking budget the uses are limited, and what is reserved covers all of them", async () => {
    const world = await createWorld(await create());
    await world.person.call("setBudgets", {
      body: {
        scope: "instance",
        scopeIds: [null],
        period: "total",
        timeZone: "UTC",
        onLimit: "block",
        limitMicros: 100_000_000,
      },
    });
    world.simulator.script({ text: ["three"], toolUses: 9 });
    const { run } = await world.ask({ imageTool: true });
    expect(run.heldMicros).toBeGreaterThanOrEqual(3 * 40_000);
    const ended = await world.ended(run.id);
    expect(ended.usage).toMatchObject({ units: { "tool pictures": "3" } });
    expect(ended.costMicros).toBeLessThanOrEqual(run.heldMicros!);
    expect(world.simulator.posts[0]!.body).toMatchObject({ max_tool_calls: 3 });
  });

  it("in the background they are left out, with a word about it", async () => {
    const world = await createWorld(await create());
    const { run } = await world.ask({ codeInterpreter: true, background: true });
    const ended = await world.ended(run.id);
    expect(ended.warnings).toMatchObject([{ type: "unsupported", feature: "codeInterpreter" }]);
    expect(world.simulator.posts[0]!.body).not.toHaveProperty("tools");
  });
});
