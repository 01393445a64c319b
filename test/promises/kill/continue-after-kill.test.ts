import { randomInt } from "node:crypto";
import OpenAI from "openai";
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

type Turn = { role: string; content: string };

forEachDatabase((name, create) => {
  it("an answer whose server is killed at a random word still has its written text, and the next one continues from there; a program's call that was cut off is no call", async () => {
    const shownWords = Number(process.env.CRASH_WORDS ?? randomInt(1, 25));
    console.log(`continue on ${name}: CRASH_WORDS=${shownWords}`);
    const [openai, database] = await Promise.all([startOpenAiCompatible(), create()]);
    onTestFinished(() => openai.stop());
    const start = () => startServer({ dataFolder: database.dataFolder, env: database.env });
    let server = await start();
    onTestFinished(() => server.kill9());
    const client = await setUpServer(server);
    const model = {
      connectionId: await connectKind(client, "openai-compatible", {
        api: openai.url,
        key: openai.key,
      }),
      modelId: "sim-chat",
    };
    openai.script({ text: Array.from({ length: 40 }, (_, i) => `${i} `), betweenMs: 20 });
    const asked = await askServer(client, model, "count");
    const watch = watchRun(client, asked.run.id);
    await until(
      "so many words are shown, and some written",
      async () =>
        shownText(watch.events).split(" ").length > shownWords &&
        watch.events.some(({ id, type }) => type === "text-delta" && !Number.isNaN(id)),
    );
    await server.kill9();
    await watch.ended;
    const shown = shownText(watch.events);

    server = await start();
    const again = client.at(server.url);
    expect((await runEnds(again, asked.run.id)).run).toMatchObject({
      state: "failed",
      error: { code: "provider_interrupted" },
    });
    const messagesOf = async () =>
      (
        await again.call<{ messages: Message[] }>("getConversation", {
          params: { conversationId: asked.conversationId },
        })
      ).body.messages;
    const messages = await messagesOf();
    const interrupted = messages.find(({ id }) => id === asked.answer.id)!;
    const kept = textOfMessage(interrupted);
    expect(interrupted.state).toBe("interrupted");
    expect(kept).not.toBe("");
    expect(kept.startsWith(shown) || shown.startsWith(kept)).toBe(true);

    openai.script({ text: ["and", " the", " rest"] });
    const { body } = await again.call<{ answer: Message; run: Run }>("answerAgain", {
      params: { messageId: interrupted.parentId! },
      body: { model, continueFrom: interrupted.id },
    });
    expect((await runEnds(again, body.run.id)).run.state).toBe("succeeded");
    const whole = (await messagesOf()).find(({ id }) => id === body.answer.id)!;
    expect(textOfMessage(whole)).toBe(`${kept}and the rest`);
    const sent = openai.posts.at(-1)!.body as { messages: Turn[] };
    expect(
      sent.messages.filter(({ role, content }) => role === "assistant" && content === kept),
    ).toHaveLength(1);
    expect(openai.posts).toHaveLength(2);

    // A program has a part of a call when its server is killed: the call never ends, no run has it,
    // and nothing is sent again.
    const key = await again.call<{ token: string }>("createKey", {
      body: { name: "agent", projectId: again.projectId, scopes: ["chat"] },
    });
    const program = new OpenAI({
      baseURL: `${server.url}/v1`,
      apiKey: key.body.token,
      maxRetries: 0,
    });
    const { data: listed } = await program.models.list();
    openai.script({
      text: [],
      toolCalls: [{ name: "write", input: { path: "boat.ts", text: "line ".repeat(20) } }],
      gate: { name: "call", at: "call" },
    });
    const stream = await program.chat.completions.create({
      model: listed.find(({ id }) => id.endsWith("/sim-chat"))!.id,
      messages: [{ role: "user", content: "Write it." }],
      tools: [{ type: "function", function: { name: "write", parameters: { type: "object" } } }],
      stream: true,
    });
    let [written, runId] = ["", ""];
    const reasons: unknown[] = [];
    const reading = (async () => {
      for await (const { id, choices } of stream) {
        runId = id.replace("chatcmpl-", "");
        for (const { delta, finish_reason: reason } of choices) {
          written += delta.tool_calls?.[0]?.function?.arguments ?? "";
          if (reason) reasons.push(reason);
        }
      }
    })();
    const left = expect(reading).rejects.toThrow();
    await until("the call begins", async () => written.length > 1);
    await server.kill9();
    await left;
    expect(reasons).toEqual([]);
    expect(() => JSON.parse(written)).toThrow();
    server = await start();
    const { run } = await runEnds(client.at(server.url), runId);
    expect(run).toMatchObject({ state: "failed", error: { code: "provider_interrupted" } });
    expect(run.result?.toolCalls ?? []).toEqual([]);
    expect(openai.posts).toHaveLength(3);
  });
});
