import { expect, it, onTestFinished } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  connectKind,
  runEnds,
  setUpServer,
  shownText,
  watchRun,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { textOfMessage } from "../../support/studio/studio.ts";

const words = Array.from({ length: 300 }, (_, i) => `${i} `);
/** Two seconds of text; a kill may lose the last one (P12). */
const shownBefore = 100;

forEachDatabase((_, create) => {
  it("side-by-side answers whose server is killed each keep their text, in their columns, and aren't sent again", async () => {
    const [openai, database] = await Promise.all([startOpenAiCompatible(), create()]);
    onTestFinished(() => openai.stop());
    const start = () => startServer({ dataFolder: database.dataFolder, env: database.env });
    let server = await start();
    onTestFinished(() => server.kill9());
    const client = await setUpServer(server);
    const connectionId = await connectKind(client, "openai-compatible", {
      api: openai.url,
      key: openai.key,
    });
    openai.script({ text: words, betweenMs: 20 });
    openai.script({ text: words, betweenMs: 20 });
    const begun = await client.call<RouteOutput<"createConversation">>("createConversation", {
      body: { projectId: client.projectId },
    });
    const conversationId = begun.body.conversation.id;
    const message = {
      params: { conversationId },
      body: {
        parentId: null,
        text: "count",
        asks: ["sim-chat", "owner/sim-vision"].map((modelId) => ({
          model: { connectionId, modelId },
        })),
        idempotencyKey: "side-by-side",
      },
    };
    const asked = (await client.call<RouteOutput<"sendMessage">>("sendMessage", message)).body;
    const watches = asked.answers.map(({ run }) => watchRun(client, run.id));
    await until("both show more words than a kill may lose", async () =>
      watches.every(({ events }) => shownText(events).split(" ").length > shownBefore),
    );
    await server.kill9();
    await Promise.all(watches.map(({ ended }) => ended));

    server = await start();
    const again = client.at(server.url);
    for (const { run } of asked.answers)
      expect((await runEnds(again, run.id)).run).toMatchObject({
        state: "failed",
        error: { code: "provider_interrupted" },
      });
    const { body } = await again.call<RouteOutput<"getConversation">>("getConversation", {
      params: { conversationId },
    });
    const answers = body.messages.filter(({ role }) => role === "assistant");
    expect(answers.map(({ state, group }) => [state, group?.column])).toEqual([
      ["interrupted", 0],
      ["interrupted", 1],
    ]);
    for (const answer of answers) expect(textOfMessage(answer)).toMatch(/^0 1 2 /);
    const repeated = (await again.call<RouteOutput<"sendMessage">>("sendMessage", message)).body;
    expect(repeated.answers.map(({ run: { id } }) => id)).toEqual(
      asked.answers.map(({ run: { id } }) => id),
    );
    expect(openai.posts).toHaveLength(2);
  });
});
