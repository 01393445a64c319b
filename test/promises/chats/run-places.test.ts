import { afterAll, beforeAll, expect, it } from "vitest";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { type Caller, until } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/** A run's place is revealed only to people who may open it. */
forEachDatabase((_, create) => {
  let studio: Studio;
  let bea: Caller;
  beforeAll(async () => {
    studio = await createStudio(await create());
    bea = await studio.instance.createPerson("bea@example.org");
    const { projectId } = studio.person;
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: bea.user.id, role: "viewer", at: 0 }),
    );
  });
  afterAll(() => studio.close());

  const callAs = async <N extends RouteName>(who: Pick<Caller, "call">, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const call = <N extends RouteName>(name: N, given: object) => callAs(studio.person, name, given);
  const placeOf = async (who: Pick<Caller, "call">, runId: string) =>
    (await callAs(who, "getRun", { params: { runId } })).conversation;
  const share = (conversationId: string) =>
    call("updateConversation", { params: { conversationId }, body: { visibility: "project" } });

  it("a tool's run is at its round's message, an answer's at the answer, and others are nowhere", async () => {
    const conversationId = await studio.startConversation();
    const tools = { models: [{ ...studio.models.fal, allowed: true }] };
    await call("updateConversation", { params: { conversationId }, body: { settings: { tools } } });
    const input = { prompt: "a fox", image_size: { width: 64, height: 64 } };
    const toolCalls = [{ name: "make_image_simulated_flux", input }];
    studio.openai.script({ text: ["I draw."], toolCalls });
    studio.openai.script({ text: ["Here it is."] });
    const asked = await studio.ask("draw a fox", "openai", { conversationId });
    await studio.ended(asked.run.id);
    const round = await until("the tool has ended", async () => {
      const { messages } = await call("getConversation", { params: { conversationId } });
      return messages.find(({ role, state }) => role === "tool" && state === "complete");
    });
    const [result] = round.parts.filter((part) => part.type === "tool-result");
    expect(await placeOf(studio.person, result!.runId!)).toEqual({
      id: conversationId,
      messageId: round.id,
    });
    expect(await placeOf(studio.person, asked.run.id)).toEqual({
      id: conversationId,
      messageId: asked.answer.id,
    });
    expect(await placeOf(studio.person, (await studio.make("a tide")).id)).toBeNull();
  });

  it("for readers without the original it is the copy in a shared fork, and nowhere once that is deleted", async () => {
    const asked = await studio.ask("Which cover?");
    await studio.ended(asked.run.id);
    const { conversation } = await call("forkConversation", {
      params: { messageId: asked.answer.id },
      body: {},
    });
    await share(conversation.id);
    const copy = (await call("getConversation", { params: { conversationId: conversation.id } }))
      .messages[1]!;
    expect(await placeOf(bea, asked.run.id)).toEqual({ id: conversation.id, messageId: copy.id });
    const original = { id: asked.conversationId, messageId: asked.answer.id };
    expect(await placeOf(studio.person, asked.run.id)).toEqual(original);
    await share(asked.conversationId);
    expect(await placeOf(bea, asked.run.id)).toEqual(original);
    for (const conversationId of [asked.conversationId, conversation.id])
      await call("removeConversation", { params: { conversationId } });
    expect(await placeOf(studio.person, asked.run.id)).toBeNull();
  });

  it("is hidden from keys that may not read conversations", async () => {
    const asked = await studio.ask("Which cover?");
    await studio.ended(asked.run.id);
    const [reader, chatter] = await Promise.all(
      [["runs:read"], ["runs:read", "chat"]].map((scopes) =>
        studio.instance.createKey(studio.person, { scopes: scopes as never }),
      ),
    );
    expect(await placeOf(reader!, asked.run.id)).toBeNull();
    expect(await placeOf(chatter!, asked.run.id)).toMatchObject({ id: asked.conversationId });
  });
});
