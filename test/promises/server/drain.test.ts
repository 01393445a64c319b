import { expect, it, onTestFinished } from "vitest";
import type { Message } from "#contract/entities.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  askServer,
  connectKind,
  makeOnServer,
  runEnds,
  runOnServer,
  setUpServer,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { startTwoServers } from "../../support/server/two-servers.ts";
import { textOfMessage } from "../../support/studio/studio.ts";

const image = [{ id: "sim-image", task: "image" }];

async function scene({ dataFolder, env }: TestDatabase, drainS = "25") {
  const openai = await startOpenAiCompatible();
  onTestFinished(() => openai.stop());
  const start = () => startServer({ dataFolder, env: { ...env, BOTTEGA_DRAIN_S: drainS } });
  const server = await start();
  onTestFinished(() => server.kill9());
  const client = await setUpServer(server);
  const connectionId = await connectKind(client, "openai-compatible", {
    api: openai.url,
    key: openai.key,
    models: JSON.stringify(image),
  });
  const body = { name: "program", projectId: client.projectId, scopes: ["chat", "models:read"] };
  const { token } = (await client.call<{ token: string }>("createKey", { body })).body;
  const authorization = `Bearer ${token}`;
  const listed = (await (
    await fetch(`${server.url}/v1/models`, { headers: { authorization } })
  ).json()) as { data: { id: string }[] };
  const chatName = listed.data.find(({ id }) => id.endsWith("/sim-chat"))!.id;
  return {
    openai,
    start,
    server,
    client,
    chat: { connectionId, modelId: "sim-chat" },
    image: { connectionId, modelId: "sim-image" },
    askAsProgram: () =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ model: chatName, messages: [{ role: "user", content: "hello" }] }),
      }),
    stopping: () => until("it stops", async () => server.output().includes("Bottega stops")),
  };
}

forEachDatabase((_, create) => {
  it("a deploy waits for a picture and a chat in flight, serves browsers, and sends programs to the next server", async () => {
    const { openai, start, server, client, chat, image, askAsProgram, stopping } = await scene(
      await create(),
    );
    openai.script({ gate: { name: "picture", at: "head" } });
    const picture = await makeOnServer(client, image, { prompt: "slow" });
    await openai.reached("picture");
    openai.script({ text: "one two three", gate: { name: "words", at: 2 } });
    const answer = await askServer(client, chat, "count");
    await openai.reached("words");

    const ended = server.stop();
    await stopping();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const refused = await askAsProgram();
    expect([
      refused.status,
      refused.headers.get("retry-after"),
      refused.headers.get("x-should-retry"),
    ]).toEqual([503, "5", "true"]);
    const later = await askServer(client, chat, "asked while it stops");
    expect((await runOnServer(client, later.run.id)).run.state).toBe("queued");
    openai.open("picture");
    openai.open("words");
    expect(await ended).toEqual({ code: 0, signal: null });

    const again = await start();
    onTestFinished(() => again.kill9());
    const after = client.at(again.url);
    expect((await runOnServer(after, picture.id)).assets).toHaveLength(1);
    expect((await runOnServer(after, answer.run.id)).run.state).toBe("succeeded");
    const { messages } = (
      await after.call<{ messages: Message[] }>("getConversation", {
        params: { conversationId: answer.conversationId },
      })
    ).body;
    expect(textOfMessage(messages.find(({ id }) => id === answer.answer.id)!)).toBe(
      "one two three",
    );
    expect((await runEnds(after, later.run.id)).run.state).toBe("succeeded");
    await again.stop();
  });

  it("work in flight has BOTTEGA_DRAIN_S, and a second signal ends the server at once", async () => {
    const first = await scene(await create(), "0");
    first.openai.script({ text: "one two", gate: { name: "late", at: 1 } });
    const { run } = await askServer(first.client, first.chat, "cut");
    await first.openai.reached("late");
    expect(await first.server.stop()).toEqual({ code: 0, signal: null });
    const again = await first.start();
    onTestFinished(() => again.kill9());
    expect((await runEnds(first.client.at(again.url), run.id)).run.state).toBe("failed");
    await again.stop();

    const second = await scene(await create());
    second.openai.script({ gate: { name: "never", at: "head" } });
    await makeOnServer(second.client, second.image, { prompt: "held" });
    await second.openai.reached("never");
    const ended = second.server.stop();
    await second.stopping();
    second.server.child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 130, signal: null });
  });
});

it("with two servers, a drain leaves what it has not started to the other", async () => {
  const two = await startTwoServers();
  onTestFinished(() => two.stop());
  two.openai.script({ text: "one two", gate: { name: "held", at: 1 } });
  const { run } = await askServer(two.here, two.chat, "in flight");
  await two.openai.reached("held");
  const { mine } = await two.sidesOf(run.id);
  const [client, other] = mine === two.first ? [two.here, two.there] : [two.there, two.here];
  const ended = mine.stop();
  await until("it stops", async () => mine.output().includes("Bottega stops"));
  const later = await askServer(client, two.chat, "asked of the one that stops");
  expect((await runEnds(other, later.run.id)).run.state).toBe("succeeded");
  two.openai.open("held");
  expect(await ended).toEqual({ code: 0, signal: null });
  expect((await runEnds(other, run.id)).run.state).toBe("succeeded");
});
