import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Message } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { getConversation, insertMessages } from "#store/content/conversations.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import type { Caller } from "../../support/server/instance.ts";
import { exportProject, importArchive } from "../../support/studio/project-archives.ts";
import { createStudio, type Studio, textOfMessage } from "../../support/studio/studio.ts";

/**
 * A fork is a separate conversation with copies of messages. Their runs stay single runs that were
 * paid once.
 */
forEachDatabase((_, create) => {
  let studio: Studio;
  let bea: Caller;
  beforeAll(async () => {
    studio = await createStudio(await create());
    bea = await studio.instance.createPerson("bea@example.org");
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: studio.person.projectId,
        userId: bea.user.id,
        role: "editor",
        at: 0,
      }),
    );
    await studio.instance.store.db
      .updateTable("model")
      .set({
        price: JSON.stringify([
          { unit: "output token", micros: "10", source: "test", at: 0 },
          { unit: "input token", micros: "10", source: "test", at: 0 },
        ]),
      })
      .where("model_id", "=", studio.models.openai.modelId)
      .execute();
  });
  afterAll(() => studio.close());

  const callAs = async <N extends RouteName>(who: Caller, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const call = <N extends RouteName>(name: N, given: object) => callAs(studio.person, name, given);
  const open = (conversationId: string, who = studio.person) =>
    callAs(who, "getConversation", { params: { conversationId } });
  const fork = async (messageId: string, body: object = {}) =>
    (await call("forkConversation", { params: { messageId }, body })).conversation;
  const say = async (conversationId: string, parentId: string | null, text: string) => {
    const said = await call("sendMessage", {
      params: { conversationId },
      body: { parentId, text, ask: { model: studio.models.openai } },
    });
    await studio.ended(said.run!.id);
    return { question: said.message, answer: said.answer!, run: said.run! };
  };
  /** Two messages with their answers. */
  async function converse() {
    const conversationId = await studio.startConversation();
    const first = await say(conversationId, null, "Which cover?");
    const second = await say(conversationId, first.answer.id, "And in blue?");
    return { conversationId, first, second };
  }
  const said = (messages: readonly Message[]) =>
    messages.map((message) => [message.role, textOfMessage(message)]);
  const spent = async () =>
    (await studio.instance.store.db.selectFrom("ledger_entry").select("micros").execute()).reduce(
      (sum, { micros }) => sum + Number(micros),
      0,
    );

  it("has the branch up to its message, in order, and continues by itself", async () => {
    const { conversationId, first } = await converse();
    await call("updateConversation", {
      params: { conversationId },
      body: { title: "Covers", systemPrompt: "Be brief.", settings: { temperature: 1 } },
    });
    const made = await fork(first.answer.id);
    expect(made).toMatchObject({
      title: "Covers (2)",
      systemPrompt: "Be brief.",
      settings: { temperature: 1 },
      visibility: "author",
      userId: studio.person.user.id,
    });
    const source = await open(conversationId);
    const forked = await open(made.id);
    expect(said(forked.messages)).toEqual(said(source.messages).slice(0, 2));
    expect(forked.messages.map(({ isCopy }) => isCopy)).toEqual([true, true]);
    expect(forked.conversation.headMessageId).toBe(forked.messages[1]!.id);
    expect(forked.forkedFrom).toEqual({
      upTo: forked.messages[1]!.id,
      source: { conversationId, messageId: first.answer.id, title: "Covers" },
    });
    expect(source.forkedFrom).toBeNull();
    await say(made.id, forked.messages[1]!.id, "And in red?");
    expect((await open(made.id)).messages).toHaveLength(4);
    expect((await open(conversationId)).messages).toHaveLength(4);
  });

  it("pays for no run again, and doesn't count the source's in its own cost", async () => {
    const { conversationId, second } = await converse();
    const [before, runs] = [await spent(), await call("listRuns", { query: ofProject() })];
    const made = await fork(second.answer.id);
    expect(await spent()).toBe(before);
    expect((await call("listRuns", { query: ofProject() })).runs.length).toBe(runs.runs.length);
    const forked = await open(made.id);
    expect(forked.runs.map(({ id }) => id).sort()).toEqual(
      (await open(conversationId)).runs.map(({ id }) => id).sort(),
    );
    const costOf = async (id: string) =>
      (await call("getConversationCost", { params: { conversationId: id } })).costs.reduce(
        (sum, { runs: count }) => sum + count,
        0,
      );
    expect([await costOf(conversationId), await costOf(made.id)]).toEqual([2, 0]);
    await say(made.id, forked.conversation.headMessageId, "And in red?");
    expect([await costOf(conversationId), await costOf(made.id)]).toEqual([2, 1]);
  });
  const ofProject = () => ({ projectId: studio.person.projectId, limit: 200 });

  it("can be forked again, and outlives its source", async () => {
    const { conversationId, first } = await converse();
    const once = await fork(first.answer.id);
    const twice = await fork((await open(once.id)).conversation.headMessageId!);
    const forked = await open(twice.id);
    expect(forked.forkedFrom?.source).toMatchObject({ conversationId: once.id });
    await call("removeConversation", { params: { conversationId: once.id } });
    await studio.instance.store.db
      .deleteFrom("message")
      .where("conversation_id", "in", [once.id, conversationId])
      .execute();
    const alone = await open(twice.id);
    expect(said(alone.messages)).toEqual(said(forked.messages));
    expect(alone.runs.map(({ id }) => id)).toEqual([first.run.id]);
    expect(alone.forkedFrom).toEqual({ upTo: forked.messages[1]!.id, source: null });
  });

  it("the same key forks once, and again after the fork was moved to the trash", async () => {
    const { first } = await converse();
    const body = { idempotencyKey: "fork-once" };
    const made = await Promise.all([fork(first.answer.id, body), fork(first.answer.id, body)]);
    expect(made[0]!.id).toBe(made[1]!.id);
    const params = { conversationId: made[0]!.id };
    await call("removeConversation", { params });
    const again = await fork(first.answer.id, body);
    expect([again.trashedAt, again.id === made[0]!.id]).toEqual([null, false]);
    await call("restoreConversation", { params });
    expect((await fork(first.answer.id, body)).id).toBe(again.id);
    const other = await studio.person.call<{ code: string }>("forkConversation", {
      params: { messageId: first.question.id },
      body,
    });
    expect(other.body.code).toBe("idempotency_mismatch");
  });

  it("an answer in progress can't be forked", async () => {
    const conversationId = await studio.startConversation();
    studio.openai.script({ text: "Slowly", gate: { name: "slow", at: "head" } });
    const asked = await call("sendMessage", {
      params: { conversationId },
      body: { parentId: null, text: "Wait", ask: { model: studio.models.openai } },
    });
    const refused = await studio.person.call("forkConversation", {
      params: { messageId: asked.answer!.id },
      body: {},
    });
    expect([refused.status, refused.body]).toMatchObject([409, { code: "conflict" }]);
    expect((await open((await fork(asked.message.id)).id)).messages).toHaveLength(1);
    studio.openai.open("slow");
    await studio.ended(asked.run!.id);
  });

  it("a branch over the limit is refused with the limit, and its beginning can be forked", async () => {
    const { commit } = studio.instance;
    const fill = async (count: number, text: string) => {
      const conversationId = await studio.startConversation();
      const ids = Array.from({ length: count }, () => uuid());
      await commit(async (unit) => {
        const common = { role: "user", state: "complete", runId: null, continuesId: null } as const;
        const parts = [{ type: "text" as const, text }];
        await insertMessages(
          unit,
          (await getConversation(unit.tx, conversationId))!,
          ids.map((id, i) => ({ ...common, id, parentId: ids[i - 1] ?? null, parts })),
        );
      });
      return ids;
    };
    const refusal = async (messageId: string) => {
      const { status, body } = await studio.person.call<{ detail: string }>("forkConversation", {
        params: { messageId },
        body: {},
      });
      return [status, body.detail];
    };
    const refused = [409, expect.stringContaining("2,000 messages and 8 MB")];
    const many = await fill(limits.forkMessages + 1, "Tide.");
    expect(await refusal(many.at(-1)!)).toEqual(refused);
    expect((await open((await fork(many[2]!)).id)).messages).toHaveLength(3);
    const large = await fill(42, "x".repeat(limits.messageCharacters));
    expect(await refusal(large.at(-1)!)).toEqual(refused);
    expect((await open((await fork(large[39]!)).id)).messages).toHaveLength(40);
  });

  it("leaves out what its source leaves out", async () => {
    const { conversationId, first, second } = await converse();
    await call("chooseContext", {
      params: { conversationId },
      body: { upTo: first.answer.id, choice: { sends: "text", text: "They want a cover." } },
    });
    const made = await fork(second.answer.id);
    const head = (await open(made.id)).conversation.headMessageId;
    await say(made.id, head, "And in red?");
    const sent = JSON.stringify(studio.openai.posts.at(-1));
    expect(sent).toContain("They want a cover.");
    expect(sent).not.toContain("Which cover?");
  });

  it("sharing a fork shares the runs that it shows, for as long as either conversation is shared", async () => {
    const { conversationId, first } = await converse();
    const made = await fork(first.answer.id);
    const visibilityOf = async () => (await studio.runOf(first.run.id)).visibility;
    const share = (id: string, visibility: string) =>
      call("updateConversation", { params: { conversationId: id }, body: { visibility } });
    await share(made.id, "project");
    expect(await visibilityOf()).toBe("project");
    const theirs = await open(made.id, bea);
    expect(said(theirs.messages)).toHaveLength(2);
    // Only the existence of the private source is revealed.
    expect(theirs.forkedFrom).toEqual({ upTo: theirs.messages[1]!.id, source: null });
    await share(conversationId, "project");
    expect((await open(made.id, bea)).forkedFrom?.source?.conversationId).toBe(conversationId);
    await share(made.id, "author");
    expect(await visibilityOf()).toBe("project");
    await share(conversationId, "author");
    expect(await visibilityOf()).toBe("author");
  });

  it("a shared fork in the trash keeps nothing shared that its original unshares, until it is restored", async () => {
    const { conversationId, first, second } = await converse();
    const made = await fork(first.answer.id);
    const visible = () =>
      Promise.all([first, second].map(async ({ run }) => (await studio.runOf(run.id)).visibility));
    for (const id of [conversationId, made.id])
      await call("updateConversation", {
        params: { conversationId: id },
        body: { visibility: "project" },
      });
    await call("removeConversation", { params: { conversationId: made.id } });
    expect(await visible()).toEqual(["project", "project"]);
    await call("updateConversation", {
      params: { conversationId },
      body: { visibility: "author" },
    });
    expect(await visible()).toEqual(["author", "author"]);
    await call("restoreConversation", { params: { conversationId: made.id } });
    expect(await visible()).toEqual(["project", "author"]);
  });

  it("a copy's reading aloud is shared only with the fork", async () => {
    const { conversationId, first } = await converse();
    const made = await fork(first.answer.id);
    const { run } = await call("createReading", {
      params: { messageId: (await open(made.id)).messages[1]!.id },
      body: {
        model: { ...studio.models.openai, modelId: "sim-speech" },
        input: { input: "The tide is low." },
      },
    });
    await studio.ended(run.id);
    const share = async (id: string, visibility: string) => {
      await call("updateConversation", { params: { conversationId: id }, body: { visibility } });
      return (await studio.runOf(run.id)).visibility;
    };
    expect(await share(conversationId, "project")).toBe("author");
    expect(await share(made.id, "project")).toBe("project");
    expect(await share(made.id, "author")).toBe("author");
  });

  it("is exported, and names its source if that is exported too", async () => {
    const { conversationId, first } = await converse();
    await call("updateConversation", { params: { conversationId }, body: { title: "Exported" } });
    await fork(first.answer.id);
    const ada = { ...studio.person, url: await studio.instance.listen() };
    const archive = await exportProject(ada, ada.projectId);
    const { projectId } = await importArchive(ada, archive);
    const { conversations } = await call("listConversations", { query: { projectId } });
    const forked = await open(conversations.find(({ title }) => title === "Exported (2)")!.id);
    const source = conversations.find(({ title }) => title === "Exported")!;
    expect(forked.forkedFrom).toMatchObject({
      upTo: forked.messages[1]!.id,
      source: { conversationId: source.id, title: "Exported" },
    });
    expect(forked.messages.map(({ isCopy }) => isCopy)).toEqual([true, true]);
    // A run and its copies belong together there too: sharing the fork shares them.
    await call("updateConversation", {
      params: { conversationId: forked.conversation.id },
      body: { visibility: "project" },
    });
    expect((await studio.runOf(forked.runs[0]!.id)).visibility).toBe("project");
  });

  it("is made only by the author: other project members can't fork a shared conversation", async () => {
    const { conversationId, first } = await converse();
    const given = { params: { messageId: first.answer.id }, body: {} };
    expect((await bea.call("forkConversation", given)).status).toBe(404);
    await call("updateConversation", {
      params: { conversationId },
      body: { visibility: "project" },
    });
    expect((await bea.call("forkConversation", given)).status).toBe(403);
    expect((await fork(first.answer.id)).visibility).toBe("project");
  });
});
