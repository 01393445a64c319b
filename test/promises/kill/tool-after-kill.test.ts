import { expect, it, onTestFinished } from "vitest";
import type { Message, ModelRef, ToolResultPart } from "#contract/entities.ts";
import { startMcp } from "../../simulators/mcp.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  askServer,
  connectKind,
  runEnds,
  setUpServer,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";

const key = "tools-key-1234567890";

forEachDatabase((_, create) => {
  it("a tool isn't reused after its server was killed: its person says what they know, and the model continues", async () => {
    const [openai, tools, database] = await Promise.all([
      startOpenAiCompatible(),
      startMcp({ key }),
      create(),
    ]);
    onTestFinished(() => Promise.all([openai.stop(), tools.stop()]).then(() => undefined));
    const start = () => startServer({ dataFolder: database.dataFolder, env: database.env });
    let server = await start();
    onTestFinished(() => server.kill9());
    const client = await setUpServer(server);
    const model: ModelRef = {
      connectionId: await connectKind(client, "openai-compatible", {
        api: openai.url,
        key: openai.key,
      }),
      modelId: "sim-chat",
    };
    const note = {
      connectionId: await connectKind(client, "mcp", { server: tools.url, key }),
      modelId: "add_note",
      allowed: true,
    };
    openai.script({ text: ["Hello."] });
    const first = await askServer(client, model, "hello");
    await runEnds(client, first.run.id);
    const params = { conversationId: first.conversationId };
    await client.call("updateConversation", {
      params,
      body: { settings: { tools: { models: [note] } } },
    });
    openai.script({
      text: ["I note it."],
      toolCalls: [{ name: "mcp_add_note", input: { text: "buy milk" } }],
    });
    tools.script({ gate: "done" });
    await client.call("sendMessage", {
      params,
      body: { parentId: first.answer.id, text: "note it", ask: { model, settings: {} } },
    });
    await tools.reached("done");
    await server.kill9();
    tools.open("done");

    server = await start();
    const again = client.at(server.url);
    const messages = async () =>
      (await again.call<{ messages: Message[] }>("getConversation", { params })).body.messages;
    const result = async (): Promise<ToolResultPart | undefined> =>
      (await messages())
        .find(({ role }) => role === "tool")
        ?.parts.find((part) => part.type === "tool-result");
    openai.script({ text: ["So it may be there."] });
    await until(
      "the model has gone on",
      async () =>
        (await messages()).at(-1)?.state === "complete" && (await messages()).length === 6,
    );
    expect(await result()).toMatchObject({
      state: "failed",
      output: expect.stringContaining("The server stopped"),
    });
    expect(tools.notes).toEqual(["buy milk"]);
  });
});
