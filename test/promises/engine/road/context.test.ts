import { expect, it } from "vitest";
import type { Message } from "#contract/entities.ts";
import { admitAnswer } from "#engine/admit/admit-answer.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import type { ContextAsk } from "#engine/admit/admit-context.ts";
import { chooseContext } from "#engine/admit/admit-context.ts";
import { listMessages } from "#store/content/conversations.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, textOfMessage } from "../../../support/studio/studio.ts";

/**
 * Long conversations: the person chooses what is sent, and nothing is left out without a choice.
 */
onSqlite((create) => {
  async function build(contextTokens: number | null = null) {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { engine, store } = studio.instance;
    const conversationId = await studio.startConversation();
    const asker = { userId: studio.person.user.id };
    const setContext = (tokens: number) =>
      store.db
        .updateTable("model")
        .set({ limits: JSON.stringify({ contextTokens: tokens }) })
        .where("model_id", "=", "sim-chat")
        .execute();
    if (contextTokens !== null) await setContext(contextTokens);
    const messages = () => listMessages(store.db, conversationId);
    const turn = { model: studio.models.openai, settings: { maxOutputTokens: 100 } };
    async function say(
      text: string,
      parentId: string | null,
      answer = "Yes.",
      tokens?: { prompt: number; completion: number },
    ) {
      const { prompt = 0, completion = 0 } = tokens ?? {};
      const usage = tokens && {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      };
      studio.openai.script({ text: answer, ...(usage && { usage }) });
      const said = await admitMessage(engine.deps, asker, {
        conversationId,
        parentId,
        text,
        attachments: [],
        ask: turn,
      });
      await studio.ended(said.run!.id);
      return { question: said.message, answer: said.answer!, run: said.run! };
    }
    const choose = (ask: Omit<ContextAsk, "conversationId">) =>
      chooseContext(engine.deps, asker, { ...ask, conversationId });
    /** Three messages with their answers, in sequence. */
    async function threeTurns() {
      const first = await say("First question.", null, "First answer.");
      const second = await say("Second question.", first.answer.id, "Second answer.");
      const third = await say("Third question.", second.answer.id, "Third answer.");
      return { first, second, third };
    }
    /** The text of the provider's latest request. */
    const lastSent = () => {
      const body = studio.openai.posts.at(-1)!.body as {
        messages: { role: string; content: string | { text: string }[] }[];
      };
      return body.messages.map(({ role, content }) => [
        role,
        typeof content === "string" ? content : content.map(({ text }) => text).join("|"),
      ]);
    };
    const whole = (id: string): Promise<Message> =>
      until(`message ${id} is whole`, async () => {
        const message = await studio.messageOf(id);
        return message.state !== "streaming" && message;
      });
    return {
      ...studio,
      engine,
      asker,
      conversationId,
      setContext,
      messages,
      turn,
      say,
      choose,
      threeTurns,
      lastSent,
      whole,
    };
  }

  it("a dropped message isn't sent, stays in place, and is sent again when the person restores it", async () => {
    const studio = await build();
    const { first, second, third } = await studio.threeTurns();
    const { message } = await studio.choose({
      upTo: first.answer.id,
      choice: { sends: "later" },
      seen: null,
    });
    const fourth = await studio.say("Fourth question.", third.answer.id);
    expect(studio.lastSent()).toEqual([
      ["user", "Second question."],
      ["assistant", "Second answer."],
      ["user", "Third question."],
      ["assistant", "Third answer."],
      ["user", "Fourth question."],
    ]);
    expect((await studio.runOf(fourth.run.id)).input).toMatchObject({ context: message.id });
    expect((await studio.messages()).map(({ id }) => id)).toEqual(
      expect.arrayContaining([first.question.id, first.answer.id]),
    );

    await studio.choose({ upTo: first.answer.id, choice: { sends: "all" }, seen: message.id });
    await studio.say("Fifth question.", fourth.answer.id);
    expect(studio.lastSent()).toHaveLength(9);
    // A branch that doesn't pass through that place isn't affected.
    await studio.choose({ upTo: third.answer.id, choice: { sends: "later" } });
    await studio.say("Another third.", second.answer.id);
    expect(studio.lastSent()).toHaveLength(5);
  });

  it("a summary is its own priced run, and its text is sent in place of the messages", async () => {
    const studio = await build();
    const prices = JSON.stringify([
      { unit: "input token", micros: "3", source: "test", at: 0 },
      { unit: "output token", micros: "15", source: "test", at: 0 },
    ]);
    await studio.instance.store.db
      .updateTable("model")
      .set({ price: prices })
      .where("model_id", "=", "sim-chat")
      .execute();
    const { second, third } = await studio.threeTurns();
    studio.openai.script({
      text: "They spoke twice.",
      usage: { prompt_tokens: 40, completion_tokens: 4, total_tokens: 44 },
    });
    const { message, run } = await studio.choose({
      upTo: second.answer.id,
      choice: { sends: "summary", ask: studio.turn },
      seen: null,
    });
    expect(run!.heldMicros).toBeGreaterThan(0);
    expect(await studio.ended(run!.id)).toMatchObject({ state: "succeeded", costMicros: 180 });
    const asked = studio.lastSent();
    expect(asked.map(([role]) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(asked.at(-1)![1]).toContain("Summarize our conversation");
    expect(textOfMessage(await studio.whole(message.id))).toBe("They spoke twice.");

    const fourth = await studio.say("Fourth question.", third.answer.id);
    const sent = studio.lastSent();
    expect(sent.map(([role]) => role)).toEqual(["user", "assistant", "user"]);
    expect(sent[0]![1]).toMatch(/They spoke twice\.[\s\S]*Third question\./);

    // In the person's own words from now on; the fourth answer's input stays unchanged.
    await studio.choose({
      upTo: second.answer.id,
      choice: { sends: "text", text: "We spoke, twice." },
      seen: message.id,
    });
    await studio.say("Fifth question.", fourth.answer.id);
    expect(studio.lastSent()[0]![1]).toContain("We spoke, twice.");
    expect((await studio.runOf(fourth.run.id)).input).toMatchObject({ context: message.id });
  });

  it("of two tabs with different choices the second is informed, and nothing unseen is skipped", async () => {
    const studio = await build();
    const { first, second, third } = await studio.threeTurns();
    await studio.choose({ upTo: first.answer.id, choice: { sends: "later" }, seen: null });
    const late = studio.choose({
      upTo: second.answer.id,
      choice: { sends: "summary", ask: studio.turn },
      seen: null,
    });
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(studio.openai.posts).toHaveLength(3);
    await studio.say("Fourth question.", third.answer.id);
    expect(studio.lastSent()[0]).toEqual(["user", "Second question."]);
  });

  it("a message that doesn't fit with the longest answer is refused unsaved and unsent, and fits once the oldest are dropped", async () => {
    const studio = await build(1_000);
    const first = await studio.say("First.", null, "One.", { prompt: 20, completion: 300 });
    const second = await studio.say("Second.", first.answer.id, "Two.", {
      prompt: 330,
      completion: 270,
    });
    const before = (await studio.messages()).length;
    // 600 counted tokens, 100 for the answer, and about 300 new ones.
    const words = "z".repeat(1_240);
    const refused = studio.say(words, second.answer.id);
    await expect(refused).rejects.toMatchObject({
      code: "context_full",
      detail: { contextTokens: 1_000, outputTokens: 100 },
    });
    expect(await studio.messages()).toHaveLength(before);
    expect(studio.openai.posts).toHaveLength(2);
    // A little less fits.
    const less = await studio.say("z".repeat(1_100), second.answer.id);
    expect(studio.lastSent()).toHaveLength(5);
    await studio.setContext(600);
    const again = admitAnswer(studio.engine.deps, studio.asker, {
      messageId: less.question.id,
      turn: studio.turn,
    });
    await expect(again).rejects.toMatchObject({ code: "context_full" });
    await studio.choose({ upTo: second.answer.id, choice: { sends: "later" } });
    studio.openai.script({ text: "Three." });
    const { run } = await admitAnswer(studio.engine.deps, studio.asker, {
      messageId: less.question.id,
      turn: studio.turn,
    });
    await studio.ended(run.id);
    expect(studio.lastSent().map(([role]) => role)).toEqual(["user"]);
  });
});
