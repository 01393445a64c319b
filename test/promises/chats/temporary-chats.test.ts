import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { readZip } from "../../support/read-zip.ts";
import { exportProject } from "../../support/studio/project-archives.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/** A temporary chat is in no list, and nothing of its text remains after it ends. */
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
  const statusOf = async (name: RouteName, given: object) =>
    (await studio.person.call(name, given as never)).status;
  const start = async () =>
    (
      await call("createConversation", {
        body: { projectId: studio.person.projectId, temporary: true },
      })
    ).conversation;
  const ask = (conversationId: string, text: string) =>
    call("sendMessage", {
      params: { conversationId },
      body: { parentId: null, text, ask: { model: studio.models.openai } },
    });
  /** A chat with an answer. */
  async function converse() {
    const { id } = await start();
    studio.openai.script({ text: "The secret is quillwort." });
    const { message, answer, run } = await ask(id, "Tell me the secret of quillwort");
    await studio.ended(run!.id);
    return { id, message, answer: answer!, run: run! };
  }
  const { temporaryChatMs } = limits;
  const choresIn = (ms: number) => {
    const { deps } = studio.instance.engine;
    const clock = { ...deps.clock, now: () => deps.clock.now() + ms };
    return doChores({ ...deps, clock });
  };
  const rowsOf = async (id: string) => {
    const { db } = studio.instance.store;
    const [conversations, messages] = await Promise.all([
      db.selectFrom("conversation").select("id").where("id", "=", id).execute(),
      db.selectFrom("message").select("id").where("conversation_id", "=", id).execute(),
    ]);
    return [conversations.length, messages.length];
  };

  it("is in no list, search, palette or export, and has no title", async () => {
    const { id } = await converse();
    const opened = await call("getConversation", { params: { conversationId: id } });
    const { title, updatedAt, expiresAt } = opened.conversation;
    expect([title, expiresAt]).toEqual(["", updatedAt + temporaryChatMs]);
    const query = { projectId: studio.person.projectId };
    const texts = await Promise.all([
      call("listConversations", { query }),
      call("listConversations", { query: { ...query, archived: "true" } }),
      call("searchConversations", { query: { ...query, q: "quillwort" } }),
      call("search", { query: { ...query, q: "quillwort" } }),
      call("listAssets", { query }),
    ]);
    expect(JSON.stringify(texts)).not.toContain(id);
    const ada = { ...studio.person, url: await studio.instance.listen() };
    const files = await readZip(await exportProject(ada, ada.projectId));
    for (const [name, bytes] of files)
      expect([name, bytes.toString().includes("quillwort")]).toEqual([name, false]);
  });

  it("can’t be renamed, pinned, archived, shared, forked, compared or read aloud, and takes no files", async () => {
    const { id, answer, message } = await converse();
    const params = { conversationId: id };
    for (const body of [
      { title: "Kept" },
      { pinned: true },
      { archived: true },
      { visibility: "project" },
    ])
      expect(await statusOf("updateConversation", { params, body })).toBe(409);
    const picture = (
      await studio.assetsOf((await studio.ended((await studio.make("x")).id)).id)
    )[0]!;
    const body = { parentId: answer.id, text: "Look", attachments: [picture.id] };
    expect(await statusOf("sendMessage", { params, body })).toBe(409);
    const onAnswer = { params: { messageId: answer.id } };
    expect(await statusOf("forkConversation", { ...onAnswer, body: {} })).toBe(409);
    expect(await statusOf("restoreConversation", { params })).toBe(409);
    const { projectId } = studio.person;
    const entries = [{ messageId: answer.id }, { messageId: answer.id }];
    expect(await statusOf("createComparison", { body: { projectId, entries } })).toBe(404);
    // The shown branch and the settings are the person's own.
    expect(
      await statusOf("updateConversation", { params, body: { headMessageId: message.id } }),
    ).toBe(200);
  });

  it("is offered no tool that makes files", async () => {
    const { id } = await start();
    const tools = { models: [{ ...studio.models.fal, allowed: true }], library: true };
    await call("updateConversation", {
      params: { conversationId: id },
      body: { settings: { tools } },
    });
    const { run } = await ask(id, "Draw it");
    await studio.ended(run!.id);
    const sent = JSON.stringify(studio.openai.posts.at(-1)?.body);
    expect(sent).toContain("search_library");
    expect(sent).not.toContain("flux");
  });

  it("is deleted a day after its last message, with its runs' text; the ledger stays", async () => {
    const { id, run } = await converse();
    await choresIn(temporaryChatMs - 60_000);
    expect(await rowsOf(id)).toEqual([1, 2]);
    const booked = await studio.ledgerOf(run.id);
    await choresIn(temporaryChatMs + 60_000);
    expect(await rowsOf(id)).toEqual([0, 0]);
    const kept = await studio.runOf(run.id);
    expect([kept.state, kept.costMicros]).toEqual(["succeeded", run.costMicros ?? kept.costMicros]);
    expect(JSON.stringify(kept)).not.toContain("quillwort");
    expect(JSON.stringify(await studio.events(run.id))).not.toContain("quillwort");
    expect(await studio.ledgerOf(run.id)).toEqual(booked);
    expect(await statusOf("getConversation", { params: { conversationId: id } })).toBe(404);
  });

  it("is deleted at once when its person closes it", async () => {
    const { id, run } = await converse();
    await call("removeConversation", { params: { conversationId: id } });
    expect(await rowsOf(id)).toEqual([0, 0]);
    expect((await studio.runOf(run.id)).input).toHaveProperty("erasedAt");
  });

  it("closed while an answer is written, it stops the answer and is deleted by the next chore", async () => {
    const { id } = await start();
    studio.openai.script({ text: "Slowly it comes", gate: { name: "close", at: 1 } });
    const { run } = await ask(id, "Wait for it");
    await call("removeConversation", { params: { conversationId: id } });
    studio.openai.open("close");
    await studio.ended(run!.id);
    await choresIn(0);
    expect(await rowsOf(id)).toEqual([0, 0]);
    expect((await studio.runOf(run!.id)).input).toHaveProperty("erasedAt");
  });

  it("an ordinary conversation stays for good", async () => {
    const { conversationId, run } = await studio.ask("Stay");
    await studio.ended(run.id);
    await choresIn(temporaryChatMs * 2);
    expect(await rowsOf(conversationId)).toEqual([1, 2]);
  });
});
