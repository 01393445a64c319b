import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { doChores } from "#engine/recover/chores.ts";
import { snapshotAfter } from "#server/live/run-events.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { createStudio, type Studio, textOfMessage } from "../../support/studio/studio.ts";

/** A deleted message takes its replies along, and restoring it brings them back. */
forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  const call = async <N extends RouteName>(name: N, given: object) => {
    const { status, body } = await studio.person.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const refused = async (name: RouteName, given: object) => {
    const { status, body } = await studio.person.call<{ code: string }>(name, given as never);
    return [status, body.code];
  };
  const open = (conversationId: string) => call("getConversation", { params: { conversationId } });
  const remove = (messageId: string) => call("removeMessage", { params: { messageId } });
  const restore = (conversationId: string, messageId: string) =>
    call("restoreMessage", { params: { conversationId, messageId } });
  const say = async (conversationId: string, parentId: string | null, text: string) => {
    const said = await call("sendMessage", {
      params: { conversationId },
      body: { parentId, text, ask: { model: studio.models.openai } },
    });
    await studio.ended(said.run!.id);
    return { question: said.message, answer: said.answer!, run: said.run! };
  };
  const wordsOf = async (conversationId: string) =>
    (await open(conversationId)).messages
      .filter(({ role }) => role === "user")
      .map((message) => textOfMessage(message));
  /** Two messages, the second of which was edited once. */
  async function converse() {
    const conversationId = await studio.startConversation();
    const first = await say(conversationId, null, "Which cover?");
    const second = await say(conversationId, first.answer.id, "And in blue?");
    const third = await say(conversationId, second.answer.id, "With stripes?");
    const edited = await say(conversationId, first.answer.id, "And in red?");
    return { conversationId, first, second, third, edited };
  }

  it("takes its replies along, leaves the other versions, and is restored whole", async () => {
    const { conversationId, second, edited } = await converse();
    await call("updateConversation", {
      params: { conversationId },
      body: { headMessageId: second.answer.id },
    });
    expect((await remove(second.question.id)).removed).toBe(4);
    expect(await wordsOf(conversationId)).toEqual(["Which cover?", "And in red?"]);
    // The other version is shown.
    expect((await open(conversationId)).conversation.headMessageId).toBe(edited.answer.id);
    const back = await restore(conversationId, second.question.id);
    expect(await wordsOf(conversationId)).toHaveLength(4);
    const { outline } = await open(conversationId);
    expect(back.conversation.headMessageId).not.toBe(edited.answer.id);
    expect(outline.map(([id]) => id)).toContain(back.conversation.headMessageId);
    // Repeating it has no effect.
    await restore(conversationId, second.question.id);
    expect((await open(conversationId)).outline).toHaveLength(8);
  });

  it("is in no list, search, page or export, and nothing refers to it", async () => {
    const { conversationId, first, second } = await converse();
    await call("updateConversation", { params: { conversationId }, body: { title: "Pruned" } });
    await remove(second.question.id);
    const { projectId } = studio.person;
    const found = await call("searchConversations", { query: { projectId, q: "stripes" } });
    expect(found.hits.filter((hit) => hit.conversation.id === conversationId)).toEqual([]);
    const inside = { params: { conversationId }, query: { q: "stripes" } };
    expect((await call("findMessages", inside)).messageIds).toEqual([]);
    const ids = second.question.id;
    expect(
      (await call("listMessages", { params: { conversationId }, query: { ids } })).messages,
    ).toEqual([]);
    const model = studio.models.openai;
    for (const [name, given] of [
      ["answerAgain", { params: { messageId: ids }, body: { model } }],
      ["forkConversation", { params: { messageId: second.answer.id }, body: {} }],
      ["removeMessage", { params: { messageId: ids } }],
      ["sendMessage", { params: { conversationId }, body: { parentId: ids, text: "Hm" } }],
      [
        "updateConversation",
        { params: { conversationId }, body: { headMessageId: second.answer.id } },
      ],
    ] as const)
      expect([name, ...(await refused(name, given))]).toEqual([name, 404, "not_found"]);
    const { conversation } = await call("forkConversation", {
      params: { messageId: first.answer.id },
      body: {},
    });
    expect((await open(conversation.id)).outline).toHaveLength(2);
  });

  it("keeps its cost", async () => {
    const { conversationId, first } = await converse();
    const costOf = async () =>
      (await call("getConversationCost", { params: { conversationId } })).costs;
    const before = await costOf();
    await remove(first.question.id);
    const { conversation, outline } = await open(conversationId);
    expect([outline, conversation.headMessageId]).toEqual([[], null]);
    expect(await costOf()).toEqual(before);
  });

  it("isn't shared with its conversation until it is restored, and is unshared with it", async () => {
    const { conversationId, second, third, edited } = await converse();
    const share = (visibility: string) =>
      call("updateConversation", { params: { conversationId }, body: { visibility } });
    const visible = () =>
      Promise.all(
        [second, third, edited].map(async ({ run }) => (await studio.runOf(run.id)).visibility),
      );
    await remove(third.question.id);
    await share("project");
    expect(await visible()).toEqual(["project", "author", "project"]);
    await restore(conversationId, third.question.id);
    expect(await visible()).toEqual(["project", "project", "project"]);
    await remove(second.question.id);
    await share("author");
    expect(await visible()).toEqual(["author", "author", "author"]);
    await restore(conversationId, second.question.id);
    expect(await visible()).toEqual(["author", "author", "author"]);
  });

  it("unshares what was shared of it, with its text, until it is restored", async () => {
    const { conversationId, second, third, edited } = await converse();
    const { projectId } = studio.person;
    const bea = await studio.instance.createPerson("bea@example.org");
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: bea.user.id, role: "viewer", at: 0 }),
    );
    const body = { visibility: "project" };
    await call("updateConversation", { params: { conversationId }, body });
    const seen = () =>
      Promise.all(
        [second, third, edited].map(
          async ({ run }) =>
            (await bea.call("listRunEvents", { params: { runId: run.id } })).status,
        ),
      );
    expect(await seen()).toEqual([200, 200, 200]);
    await remove(third.question.id);
    expect(await seen()).toEqual([200, 404, 200]);
    await restore(conversationId, third.question.id);
    expect(await seen()).toEqual([200, 200, 200]);
  });

  it("leaves none of its text in its run's events", async () => {
    const { conversationId, first } = await converse();
    const { store } = studio.instance;
    const { deps } = studio.instance.engine;
    const now = () => deps.clock.now() + limits.eventRetentionMs + 60_000;
    await doChores({ ...deps, clock: { ...deps.clock, now } });
    const wordsLeft = async () => (await snapshotAfter(store.read, first.run.id, 0))?.parts.length;
    expect(await wordsLeft()).toBe(1);
    await remove(first.question.id);
    expect(await wordsLeft()).toBe(0);
    await restore(conversationId, first.question.id);
    expect(await wordsLeft()).toBe(1);
  });

  it("waits for an answer below it, and can't remove part of an answer", async () => {
    const conversationId = await studio.startConversation();
    studio.openai.script({ text: "Slowly", gate: { name: "prune", at: "head" } });
    const asked = await call("sendMessage", {
      params: { conversationId },
      body: { parentId: null, text: "Wait", ask: { model: studio.models.openai } },
    });
    const given = { params: { messageId: asked.message.id } };
    expect(await refused("removeMessage", given)).toEqual([409, "conflict"]);
    studio.openai.open("prune");
    await studio.ended(asked.run!.id);
    await remove(asked.message.id);
  });

  it("of two nested deletions, the inner one is restored separately after the outer", async () => {
    const { conversationId, first, second, third } = await converse();
    await remove(third.question.id);
    await studio.instance.store.db
      .updateTable("message")
      .set({ trashed_at: 1 })
      .where("id", "in", [third.question.id, third.answer.id])
      .execute();
    await remove(first.answer.id);
    const inner = { params: { conversationId, messageId: third.question.id } };
    expect(await refused("restoreMessage", inner)).toEqual([409, "conflict"]);
    await restore(conversationId, first.answer.id);
    expect((await open(conversationId)).outline).toHaveLength(6);
    await restore(conversationId, third.question.id);
    expect((await open(conversationId)).conversation.headMessageId).toBe(third.answer.id);
    expect(second.answer.id).not.toBe(third.answer.id);
  });

  it("a reply planned before a deletion is refused after it", async () => {
    const { conversationId, first } = await converse();
    const { deps } = studio.instance.engine;
    const trash = () =>
      deps.store.db
        .updateTable("message")
        .set({ trashed_at: 5 })
        .where("id", "=", first.answer.id)
        .execute();
    const commit: typeof deps.commit = async (work) => {
      await trash();
      return deps.commit(work);
    };
    const said = { conversationId, parentId: first.answer.id, text: "Late", attachments: [] };
    await expect(
      admitMessage({ ...deps, commit }, { userId: studio.person.user.id }, said),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  it("a repeat of the request for a deleted message is refused, and a new request is answered", async () => {
    const conversationId = await studio.startConversation();
    const model = studio.models.openai;
    const message = (idempotencyKey: string) =>
      [
        "sendMessage",
        {
          params: { conversationId },
          body: { parentId: null, text: "Twice?", ask: { model }, idempotencyKey },
        },
      ] as const;
    const said = await call(...message("message"));
    await studio.ended(said.run!.id);
    const answer = (idempotencyKey: string) =>
      [
        "answerAgain",
        { params: { messageId: said.message.id }, body: { model, idempotencyKey } },
      ] as const;
    const answered = await call(...answer("answer"));
    await studio.ended(answered.run.id);
    const purge = (id: string) =>
      studio.instance.store.db.deleteFrom("message").where("id", "=", id).execute();

    expect((await call(...answer("answer"))).answer.id).toBe(answered.answer.id);
    await remove(answered.answer.id);
    expect(await refused(...answer("answer"))).toEqual([404, "not_found"]);
    await purge(answered.answer.id);
    expect(await refused(...answer("answer"))).toEqual([404, "not_found"]);
    const again = await call(...answer("another"));
    await studio.ended(again.run.id);
    expect((await open(conversationId)).conversation.headMessageId).toBe(again.answer.id);

    // Without its first answer the message is still the one that was sent.
    await remove(said.answer!.id);
    const repeated = await call(...message("message"));
    expect([repeated.message.id, repeated.answers]).toEqual([said.message.id, []]);
    await remove(said.message.id);
    expect(await refused(...message("message"))).toEqual([404, "not_found"]);
    for (const { id } of [again.answer, said.answer!, said.message]) await purge(id);
    expect(await refused(...message("message"))).toEqual([404, "not_found"]);
    expect((await call(...message("another message"))).message.id).not.toBe(said.message.id);
  });

  it("is gone after thirty days", async () => {
    const { conversationId, second } = await converse();
    await remove(second.question.id);
    const { db } = studio.instance.store;
    const count = async () =>
      (
        await db
          .selectFrom("message")
          .select("id")
          .where("conversation_id", "=", conversationId)
          .execute()
      ).length;
    const { deps } = studio.instance.engine;
    const choresAt = (at: number) => doChores({ ...deps, clock: { ...deps.clock, now: () => at } });
    await choresAt(deps.clock.now() + limits.trashMs - 60_000);
    expect(await count()).toBe(8);
    await choresAt(deps.clock.now() + limits.trashMs + 60_000);
    expect(await count()).toBe(4);
  });
});
