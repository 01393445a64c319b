import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { expireConversation } from "#store/content/conversations.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/** A deleted conversation stays in its author's trash for 30 days. */
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
  const on = (conversationId: string) => ({ params: { conversationId } });
  const trashOf = async (query: object = {}) =>
    call("listConversations", {
      query: { projectId: studio.person.projectId, trash: "true", ...query },
    });
  const idsInTrash = async () => (await trashOf()).conversations.map(({ id }) => id);
  /** A conversation with an answer. */
  async function converse() {
    const { conversationId, run } = await studio.ask("What is quillwort?");
    await studio.ended(run.id);
    return { id: conversationId, run };
  }
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

  it("the trash lists the last deleted first, by page, and a restored one returns to the list", async () => {
    const [first, second] = [await converse(), await converse()];
    await call("removeConversation", on(first.id));
    await call("removeConversation", on(second.id));
    expect(await idsInTrash()).toEqual([second.id, first.id]);
    const page = await trashOf({ limit: "1" });
    expect(page.conversations.map(({ id }) => id)).toEqual([second.id]);
    const next = await trashOf({ limit: "1", cursor: page.next });
    expect(next.conversations.map(({ id }) => id)).toEqual([first.id]);
    expect(next.conversations[0]!.trashedAt).toBeTypeOf("number");
    // Deleting it again doesn't extend its time in the trash.
    await call("removeConversation", on(first.id));
    expect((await trashOf()).conversations.at(-1)).toEqual(next.conversations[0]);
    const { conversation } = await call("restoreConversation", on(first.id));
    expect(conversation.trashedAt).toBeNull();
    expect(await idsInTrash()).toEqual([second.id]);
  });

  it("it can be read, and nothing can be added to it", async () => {
    const { id } = await converse();
    await call("removeConversation", on(id));
    const opened = await call("getConversation", on(id));
    expect(opened.messages).toHaveLength(2);
    const parentId = opened.messages.at(-1)!.id;
    const body = { parentId, text: "And fern?", ask: { model: studio.models.openai } };
    expect(await refused("sendMessage", { ...on(id), body })).toEqual([409, "conflict"]);
    const again = {
      params: { messageId: opened.messages[0]!.id },
      body: { model: studio.models.openai },
    };
    expect(await refused("answerAgain", again)).toEqual([409, "conflict"]);
    const rated = { params: { messageId: parentId }, body: { value: "up" } };
    expect(await refused("putFeedback", rated)).toEqual([409, "conflict"]);
    const aloud = {
      params: { messageId: parentId },
      body: {
        model: { ...studio.models.openai, modelId: "sim-speech" },
        input: { input: "A fern." },
      },
    };
    expect(await refused("createReading", aloud)).toEqual([409, "conflict"]);
    const leaving = { upTo: parentId, choice: { sends: "later" } };
    expect(await refused("chooseContext", { ...on(id), body: leaving })).toEqual([409, "conflict"]);
  });

  it("deleted for good it is gone at once, and its runs and their costs stay", async () => {
    const { id, run } = await converse();
    expect(await refused("deleteConversation", on(id))).toEqual([409, "conflict"]);
    await call("removeConversation", on(id));
    const booked = await studio.ledgerOf(run.id);
    await call("deleteConversation", on(id));
    expect(await rowsOf(id)).toEqual([0, 0]);
    expect(await idsInTrash()).not.toContain(id);
    expect(await refused("restoreConversation", on(id))).toEqual([404, "not_found"]);
    expect(await studio.ledgerOf(run.id)).toEqual(booked);
    expect((await studio.runOf(run.id)).state).toBe("succeeded");
  });

  it("isn't deleted for good while an answer is written", async () => {
    const id = await studio.startConversation();
    studio.openai.script({ text: "Slowly it comes", gate: { name: "trash", at: 1 } });
    const said = await call("sendMessage", {
      ...on(id),
      body: { parentId: null, text: "Wait", ask: { model: studio.models.openai } },
    });
    await call("removeConversation", on(id));
    expect(await refused("deleteConversation", on(id))).toEqual([409, "conflict"]);
    studio.openai.open("trash");
    await studio.ended(said.run!.id);
    await call("deleteConversation", on(id));
    expect(await rowsOf(id)).toEqual([0, 0]);
  });

  it("an interrupted deletion is finished by the next chore, and shown nowhere until then", async () => {
    const { id } = await converse();
    await call("removeConversation", on(id));
    await studio.instance.commit((unit) => expireConversation(unit, id));
    expect(await idsInTrash()).not.toContain(id);
    expect(await refused("restoreConversation", on(id))).toEqual([404, "not_found"]);
    await choresIn(0);
    expect(await rowsOf(id)).toEqual([0, 0]);
  });

  it("a temporary chat is never there", async () => {
    const { conversation } = await call("createConversation", {
      body: { projectId: studio.person.projectId, temporary: true },
    });
    await call("removeConversation", on(conversation.id));
    expect(await idsInTrash()).not.toContain(conversation.id);
  });

  it("leaves the trash for good after 30 days", async () => {
    const { id } = await converse();
    await call("removeConversation", on(id));
    await choresIn(limits.trashMs - 60_000);
    expect(await rowsOf(id)).toEqual([1, 2]);
    await choresIn(limits.trashMs + 60_000);
    expect(await rowsOf(id)).toEqual([0, 0]);
  });
});
