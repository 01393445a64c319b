import { afterAll, beforeAll, expect, it } from "vitest";
import type { Feedback } from "#contract/entities.ts";
import { conversationExport } from "#contract/export/conversation.ts";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { readZip } from "../../support/read-zip.ts";
import type { Caller } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/** A person can change their rating of an answer, and all readers of the conversation see it. */
forEachDatabase((_, create) => {
  let studio: Studio;
  let ada: Caller;
  let bea: Caller;
  let eve: Caller;
  beforeAll(async () => {
    studio = await createStudio(await create());
    ada = studio.person;
    bea = await studio.instance.createPerson("bea@example.org");
    eve = await studio.instance.createPerson("eve@example.org");
    const { projectId } = ada;
    await studio.instance.commit(async ({ tx }) => {
      await insertMember(tx, { projectId, userId: bea.user.id, role: "editor", at: 0 });
      await insertMember(tx, { projectId, userId: eve.user.id, role: "viewer", at: 0 });
    });
  });
  afterAll(() => studio.close());

  const callAs = async <N extends RouteName>(who: Caller, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const statusOf = async (who: Caller, name: RouteName, given: object) =>
    (await who.call(name, given as never)).status;
  const rate = (who: Caller, messageId: string, body: object) =>
    callAs(who, "putFeedback", { params: { messageId }, body });
  async function converse(isShared = false) {
    const asked = await studio.ask("What is a tide?");
    await studio.ended(asked.run.id);
    const { conversationId } = asked;
    if (isShared)
      await callAs(ada, "updateConversation", {
        params: { conversationId },
        body: { visibility: "project" },
      });
    return asked;
  }
  const ratingsOf = async (who: Caller, conversationId: string, messageId: string) => {
    const opened = await callAs(who, "getConversation", { params: { conversationId } });
    const listed = await callAs(who, "listMessages", { params: { conversationId } });
    const [ratings, again] = [opened, listed].map(
      ({ messages }) => messages.find(({ id }) => id === messageId)?.feedback,
    );
    expect(again).toEqual(ratings);
    return ratings?.map(({ person, value, reasons, text }) => [person, value, reasons, text]);
  };

  it("is changed and withdrawn only by its person, and visible to every reader", async () => {
    const { conversationId, answer } = await converse(true);
    expect(await ratingsOf(eve, conversationId, answer.id)).toBeUndefined();
    await rate(ada, answer.id, { value: "up" });
    await rate(bea, answer.id, { value: "down", reasons: ["accuracy"], text: " The moon. " });
    expect(await ratingsOf(eve, conversationId, answer.id)).toEqual([
      ["ada", "up", [], ""],
      ["bea", "down", ["accuracy"], "The moon."],
    ]);
    await rate(bea, answer.id, { value: "up", reasons: ["style", "length"] });
    await callAs(ada, "removeFeedback", { params: { messageId: answer.id } });
    // Repeating it has no effect.
    await callAs(ada, "removeFeedback", { params: { messageId: answer.id } });
    expect(await ratingsOf(ada, conversationId, answer.id)).toEqual([
      ["bea", "up", ["style", "length"], ""],
    ]);
  });

  it("in a private conversation is only its author's, and project readers rate nothing", async () => {
    const { conversationId, answer } = await converse();
    const given = { params: { messageId: answer.id }, body: { value: "up" } };
    expect(await statusOf(bea, "putFeedback", given)).toBe(404);
    await rate(ada, answer.id, { value: "up" });
    const params = { conversationId };
    await callAs(ada, "updateConversation", { params, body: { visibility: "project" } });
    expect(await statusOf(eve, "putFeedback", given)).toBe(403);
    expect(await statusOf(eve, "removeFeedback", given)).toBe(403);
    expect(await statusOf(bea, "putFeedback", given)).toBe(200);
    // A rating given while the conversation was shared stays, but its author no longer sees it.
    await callAs(ada, "updateConversation", { params, body: { visibility: "author" } });
    expect(await statusOf(bea, "removeFeedback", given)).toBe(404);
    expect(await ratingsOf(ada, conversationId, answer.id)).toHaveLength(2);
  });

  it("is for finished answers, and isn't saved in a temporary chat", async () => {
    const { message, answer, conversationId } = await converse();
    const body = { value: "down" };
    const statusOn = (messageId: string, given: object = body) =>
      statusOf(ada, "putFeedback", { params: { messageId }, body: given });
    expect(await statusOn(message.id)).toBe(409);
    const refused = [
      { value: "maybe" },
      { value: "up", reasons: ["luck"] },
      { value: "up", reasons: ["style", "style"] },
      { value: "up", text: "x".repeat(limits.feedbackCharacters + 1) },
    ];
    for (const given of refused) expect(await statusOn(answer.id, given)).toBe(422);
    studio.openai.script({ text: "Slowly", gate: { name: "rate", at: "head" } });
    const open = await studio.ask("Wait", "openai", { conversationId });
    expect(await statusOn(open.answer.id)).toBe(409);
    studio.openai.open("rate");
    await studio.ended(open.run.id);
    await callAs(ada, "removeMessage", { params: { messageId: open.message.id } });
    expect(await statusOn(open.answer.id)).toBe(404);
    const { conversation } = await callAs(ada, "createConversation", {
      body: { projectId: ada.projectId, temporary: true },
    });
    const passing = await studio.ask("Hm", "openai", { conversationId: conversation.id });
    await studio.ended(passing.run.id);
    expect(await statusOn(passing.answer.id)).toBe(409);
    expect(await ratingsOf(ada, conversation.id, passing.answer.id)).toBeUndefined();
  });

  it("is deleted with its message, and is in every format of the conversation's export", async () => {
    const { conversationId, message, answer } = await converse();
    const given = { value: "down", reasons: ["accuracy", "style"], text: "It’s\nthe moon" };
    await rate(ada, answer.id, given);
    const take = (format: string) =>
      studio.instance.request(`/api/v1/conversations/${conversationId}/export?format=${format}`, {
        headers: { host: "127.0.0.1", cookie: ada.cookie },
      });
    const words = "ada rated this answer bad (accuracy, style): It’s the moon";
    const query = { params: { conversationId }, body: { headMessageId: answer.id } };
    await callAs(ada, "updateConversation", query);
    expect(await (await take("md")).text()).toContain(`- ${words}`);
    const page = await readZip(Buffer.from(await (await take("page")).arrayBuffer()));
    expect(page.get("index.html")!.toString().replace(/\s/g, " ")).toContain(words);
    const json = conversationExport.parse(await (await take("json")).json());
    const exported = json.messages.find(({ id }) => id === answer.id)?.feedback as Feedback[];
    expect(exported).toMatchObject([{ ...given, person: "ada" }]);
    const { db } = studio.instance.store;
    await db.deleteFrom("message").where("id", "in", [answer.id, message.id]).execute();
    const left = await db
      .selectFrom("feedback")
      .select("value")
      .where("message_id", "=", answer.id)
      .execute();
    expect(left).toEqual([]);
  });
});
