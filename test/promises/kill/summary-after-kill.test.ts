import { expect, it, onTestFinished } from "vitest";
import type { Message, Run } from "#contract/entities.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  askServer,
  connectKind,
  runEnds,
  setUpServer,
  shownText,
  watchRun,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { textOfMessage } from "../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  it("a summary whose server is killed in the middle leaves nothing out, and can be requested again", async () => {
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
    const model = { connectionId, modelId: "sim-chat" };
    openai.script({ text: "The first answer." });
    const asked = await askServer(client, model, "The first question.");
    await runEnds(client, asked.run.id);

    const { conversationId } = asked;
    const choice = { upTo: asked.answer.id, choice: { sends: "summary", ask: { model } } };
    openai.script({ text: ["They ", "spoke ", "of ", "much."], gate: { name: "half", at: 2 } });
    const begun = await client.call<{ message: Message; run: Run }>("chooseContext", {
      params: { conversationId },
      body: choice,
    });
    const watch = watchRun(client, begun.body.run.id);
    await until("half of it is shown", async () => shownText(watch.events).includes("spoke"));
    await server.kill9();
    await watch.ended;

    server = await start();
    const again = client.at(server.url);
    expect((await runEnds(again, begun.body.run.id)).run).toMatchObject({
      state: "failed",
      error: { code: "provider_interrupted" },
    });
    const say = async (text: string, parentId: string) => {
      openai.script({ text: "Yes." });
      const body = { parentId, text, ask: { model } };
      const said = await again.call<{ answer: Message; run: Run }>("sendMessage", {
        params: { conversationId },
        body,
      });
      await runEnds(again, said.body.run.id);
      return { answer: said.body.answer, sent: JSON.stringify(openai.posts.at(-1)!.body) };
    };
    const { answer, sent } = await say("The second question.", asked.answer.id);
    expect(sent).toContain("The first question.");
    expect(sent).not.toContain("spoke");

    openai.script({ text: "They spoke of tides." });
    const second = await again.call<{ message: Message; run: Run }>("chooseContext", {
      params: { conversationId },
      body: choice,
    });
    await runEnds(again, second.body.run.id);
    const { messages } = (
      await again.call<{ messages: Message[] }>("getConversation", { params: { conversationId } })
    ).body;
    expect(textOfMessage(messages.find(({ id }) => id === second.body.message.id)!)).toBe(
      "They spoke of tides.",
    );
    const third = await say("The third question.", answer.id);
    expect(third.sent).toContain("They spoke of tides.");
    expect(third.sent).not.toContain("The first question.");
  });
});
