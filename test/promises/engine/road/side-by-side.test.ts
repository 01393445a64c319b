import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { readMerge } from "#engine/plan/merge.ts";
import type { ChatRunInput } from "#store/content/conversations.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

/** Several models answer one message: one admission, with an answer and a run each. */
forEachDatabase((_, create) => {
  let studio: Studio;
  let one: ModelRef;
  let other: ModelRef;
  beforeAll(async () => {
    studio = await createStudio(await create());
    one = studio.models.openai;
    other = { ...one, modelId: "owner/sim-vision" };
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.instance.store.db.deleteFrom("budget").execute());

  const call = <Output>(route: string, given: { params?: object; body?: object }) =>
    studio.person.call<Output & { code?: string }>(route as "sendMessage", given as never);
  const send = (conversationId: string, body: object = {}) =>
    call<RouteOutput<"sendMessage">>("sendMessage", {
      params: { conversationId },
      body: {
        parentId: null,
        text: "Which cover?",
        asks: [{ model: one }, { model: other }],
        ...body,
      },
    });
  const again = (messageId: string, body: object) =>
    call<RouteOutput<"answerAgain">>("answerAgain", {
      params: { messageId },
      body: { model: one, ...body },
    });
  const open = async (conversationId: string) =>
    (
      await call<RouteOutput<"getConversation">>("getConversation", {
        params: { conversationId },
      })
    ).body;
  const ended = (answers: readonly { run: Run }[]) =>
    Promise.all(answers.map(({ run }) => studio.ended(run.id)));
  /** A message that both have answered. */
  async function asked() {
    const conversationId = await studio.startConversation();
    const { body } = await send(conversationId);
    await ended(body.answers);
    return { conversationId, ...body, ids: body.answers.map(({ answer }) => answer.id) };
  }
  it("an answer continues, replaces or merges others, and only one of these", async () => {
    const { message, ids } = await asked();
    for (const body of [
      { continueFrom: ids[0], replaces: ids[0] },
      { continueFrom: ids[0], merges: ids },
      { replaces: ids[0], merges: ids },
    ])
      expect(await again(message.id, body)).toMatchObject({
        status: 422,
        body: { code: "invalid_input" },
      });
  });

  const shown = async (id: string): Promise<Message> => studio.messageOf(id);

  it("one message to two models is one question with two answers in columns, each its own run", async () => {
    const { conversationId, message, answer, run, answers } = await asked();
    expect(answers.map(({ answer: { parentId } }) => parentId)).toEqual([message.id, message.id]);
    expect(answers.map(({ run: { modelId } }) => modelId)).toEqual([one.modelId, other.modelId]);
    expect(answers.map(({ answer: { group } }) => group?.column)).toEqual([0, 1]);
    expect(new Set(answers.map(({ answer: { group } }) => group?.id)).size).toBe(1);
    expect([answer?.id, run?.id]).toEqual([answers[0]?.answer.id, answers[0]?.run.id]);
    const opened = await open(conversationId);
    expect(opened.groups.map(([place, , column]) => [opened.outline[place]?.[0], column])).toEqual(
      answers.map(({ answer: { id } }, column) => [id, column]),
    );
    expect(opened.conversation.headMessageId).toBe(answers[0]?.answer.id);
  });

  it("the same key admits them once, and returns all of them", async () => {
    const conversationId = await studio.startConversation();
    const body = { idempotencyKey: "side-by-side-1" };
    const [first, second] = await Promise.all([
      send(conversationId, body),
      send(conversationId, body),
    ]);
    const third = await send(conversationId, body);
    const ids = first.body.answers.map(({ run: { id } }) => id);
    expect(ids).toHaveLength(2);
    for (const { body: said } of [second, third])
      expect(said.answers.map(({ run: { id } }) => id)).toEqual(ids);
    await ended(first.body.answers);
    const other = await send(conversationId, { ...body, text: "Another question" });
    expect(other.body.code).toBe("idempotency_mismatch");
  });

  it("a budget with room for only one of them refuses all, and nothing is written or sent", async () => {
    await studio.instance.store.db
      .updateTable("model")
      .set({
        price: JSON.stringify([
          { unit: "output token", micros: "10", source: "test", at: 0 },
          { unit: "input token", micros: "10", source: "test", at: 0 },
        ]),
      })
      .where("model_id", "in", [one.modelId, other.modelId])
      .execute();
    const settings = { maxOutputTokens: 100 };
    const asks = [
      { model: one, settings },
      { model: other, settings },
    ];
    const budget = {
      scope: "instance",
      scopeIds: [null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      limitMicros: 2_000,
    };
    await call("setBudgets", { body: budget });
    const posts = studio.openai.posts.length;
    const conversationId = await studio.startConversation();
    const refused = await send(conversationId, { asks });
    expect(refused.body.code).toBe("budget_exceeded");
    expect((await open(conversationId)).outline).toEqual([]);
    expect(studio.openai.posts).toHaveLength(posts);
    const alone = await send(conversationId, { asks: undefined, ask: asks[0] });
    expect(alone.status).toBe(200);
    await ended(alone.body.answers);
    await studio.instance.store.db
      .updateTable("model")
      .set({ price: null })
      .where("model_id", "in", [one.modelId, other.modelId])
      .execute();
  });

  it("a model is asked once, a single ask is no group, and the two ways to ask exclude each other", async () => {
    const conversationId = await studio.startConversation();
    const wrong = [
      { asks: [{ model: one }, { model: one }] },
      { asks: [{ model: one }] },
      { ask: { model: one } },
      { asks: Array.from({ length: 7 }, (_, i) => ({ model: { ...one, modelId: `m${i}` } })) },
    ];
    for (const body of wrong)
      expect((await send(conversationId, body)).body.code).toBe("invalid_input");
    expect((await open(conversationId)).outline).toEqual([]);
  });

  it("picking an answer continues from its newest branch, and another pick replaces it", async () => {
    const { conversationId, ids } = await asked();
    const pick = (messageId: string) =>
      call<RouteOutput<"pickAnswer">>("pickAnswer", { params: { messageId }, body: {} });
    expect((await pick(ids[1]!)).body.conversation.headMessageId).toBe(ids[1]);
    expect((await shown(ids[1]!)).group?.pickedAt).not.toBeNull();
    const next = await send(conversationId, {
      parentId: ids[1],
      asks: undefined,
      ask: { model: one },
    });
    await ended(next.body.answers);
    expect((await pick(ids[0]!)).body.conversation.headMessageId).toBe(ids[0]);
    expect((await shown(ids[1]!)).group?.pickedAt).toBeNull();
    const back = await pick(ids[1]!);
    expect(back.body.conversation.headMessageId).toBe(next.body.answer?.id);
    expect((await pick(next.body.answer!.id)).body.code).toBe("conflict");
  });

  it("a retry takes over the column, and moves the conversation only if it continues from there", async () => {
    const { conversationId, message, ids } = await asked();
    const retry = await again(message.id, { model: other, replaces: ids[1] });
    await studio.ended(retry.body.run.id);
    expect(retry.body.answer.group).toMatchObject({ column: 1 });
    expect((await open(conversationId)).conversation.headMessageId).toBe(ids[0]);
    const first = await again(message.id, { replaces: ids[0] });
    await studio.ended(first.body.run.id);
    expect((await open(conversationId)).conversation.headMessageId).toBe(first.body.answer.id);
  });

  it("a merge reads every answer with the question, names the merged ones, and the conversation continues from it", async () => {
    const conversationId = await studio.startConversation();
    studio.openai.script({ text: "Draw the tide." });
    studio.openai.script({ text: "Draw the arches." });
    const { body } = await send(conversationId);
    await ended(body.answers);
    const ids = body.answers.map(({ answer: { id } }) => id);
    const { answer, run } = (await again(body.message.id, { merges: ids })).body;
    await studio.ended(run.id);
    expect(answer.group).toMatchObject({ column: null, mergedFrom: ids });
    const sent = JSON.stringify(studio.openai.posts.at(-1)?.body);
    for (const words of ["Which cover?", "Draw the tide.", "Draw the arches."])
      expect(sent).toContain(words);
    expect((await open(conversationId)).conversation.headMessageId).toBe(answer.id);
    expect(textOfMessage(await shown(answer.id))).not.toBe("");
    // Merged again, like any retry.
    const second = await again(body.message.id, { model: other, replaces: answer.id });
    await studio.ended(second.body.run.id);
    expect(second.body.answer.group?.mergedFrom).toEqual(ids);
  });

  it("a merge is sent with every answer from its admission, even one deleted meanwhile", async () => {
    const conversationId = await studio.startConversation();
    studio.openai.script({ text: "Draw the tide." });
    studio.openai.script({ text: "Draw the arches." });
    const { body } = await send(conversationId);
    await ended(body.answers);
    const merges = body.answers.map(({ answer: { id } }) => id);
    const { run } = (await again(body.message.id, { merges })).body;
    await studio.ended(run.id);
    const input = (await studio.runOf(run.id)).input as ChatRunInput;
    const before = await readMerge(studio.instance.store.read, input.merges!);
    expect(before).toContain("Draw the arches.");
    await call("removeMessage", { params: { messageId: merges[1]! } });
    expect(await readMerge(studio.instance.store.read, input.merges!)).toBe(before);
  });

  it("answers that weren't side by side, or are in progress, can't be merged", async () => {
    const { message, ids } = await asked();
    const elsewhere = await asked();
    for (const merges of [
      [ids[0], elsewhere.ids[0]],
      [ids[0], ids[0]],
      [ids[0], message.id],
    ])
      expect((await again(message.id, { merges })).body.code).toBe("invalid_input");
    const conversationId = await studio.startConversation();
    studio.openai.script({ text: ["a ", "b"], gate: { name: "merge", at: 1 } });
    const { body } = await send(conversationId);
    const early = await again(body.message.id, {
      merges: body.answers.map(({ answer: { id } }) => id),
    });
    expect(early.body.code).toBe("conflict");
    studio.openai.open("merge");
    await ended(body.answers);
  });
});
