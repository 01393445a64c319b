import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { ModelRef } from "#contract/entities.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { requestTitles } from "#engine/rounds/titles.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/**
 * A model of the person's choice titles a conversation after its first answer, in a separate run.
 */
forEachDatabase((_, create) => {
  let studio: Studio;
  let titler: ModelRef;
  beforeAll(async () => {
    studio = await createStudio(await create());
    titler = { ...studio.models.openai, modelId: "owner/sim-vision" };
    for (const [modelId, micros] of [
      [studio.models.openai.modelId, "0"],
      [titler.modelId, "10"],
    ] as const)
      await studio.instance.store.db
        .updateTable("model")
        .set({
          price: JSON.stringify([
            { unit: "output token", micros, source: "test", at: 0 },
            { unit: "input token", micros, source: "test", at: 0 },
          ]),
        })
        .where("model_id", "=", modelId)
        .execute();
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await studio.instance.store.db.deleteFrom("budget").execute();
    await choose(titler);
  });

  const call = async <N extends RouteName>(name: N, given: object) => {
    const { status, body } = await studio.person.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const choose = (titleModel: ModelRef | null) =>
    call("updatePreferences", { body: { titleModel } });
  const open = async (conversationId: string) =>
    (await call("getConversation", { params: { conversationId } })).conversation;
  const stateOf = async (id: string) =>
    await studio.instance.store.db
      .selectFrom("conversation")
      .select(["title", "titling"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const titled = (id: string) =>
    until(`the conversation ${id} has its title`, async () => {
      const { title, titling } = await stateOf(id);
      return titling === "done" && title;
    });
  const ask = async (model: ModelRef, conversationId?: string, body: object = {}) => {
    const id = conversationId ?? (await studio.startConversation());
    const said = await call("sendMessage", {
      params: { conversationId: id },
      body: { parentId: null, text: "Which lens bends light?", ask: { model }, ...body },
    });
    return { id, run: said.run! };
  };
  /** Sends a message and scripts the two models' answers. */
  async function converse(title?: string) {
    studio.openai.script({ text: "The Fresnel lens." });
    if (title) studio.openai.script({ text: title });
    const asked = await ask(studio.models.openai);
    await studio.ended(asked.run.id);
    return asked;
  }
  const titleRuns = async (id: string) =>
    (await studio.instance.store.db.selectFrom("run").selectAll().execute()).filter(({ input }) =>
      input.includes(`"titles":"${id}"`),
    );

  it("writes its title after the first answer, from text alone, and books its cost", async () => {
    const { id } = await converse("**Lighthouse lenses.**");
    expect(await titled(id)).toBe("Lighthouse lenses");
    const [run, ...more] = await titleRuns(id);
    expect([run?.state, run?.model_id, run?.visibility, more.length]).toEqual([
      "succeeded",
      titler.modelId,
      "author",
      0,
    ]);
    const sent = JSON.stringify(studio.openai.posts.at(-1)?.body);
    expect(sent).toContain("Which lens bends light?");
    expect(sent).toContain("The Fresnel lens.");
    // The run refers to the messages and contains none of their text.
    expect(`${run?.input}${run?.result}`).not.toMatch(/lens/i);
    expect(await studio.ledgerOf(run!.id)).not.toEqual([]);
    const { run: second } = await ask(studio.models.openai, id, { text: "And mirrors?" });
    await studio.ended(second.id);
    await requestTitles(studio.instance.engine.deps);
    expect(await titleRuns(id)).toHaveLength(1);
  });

  it("without a chosen model it keeps the first message's line", async () => {
    await choose(null);
    const { id } = await converse();
    expect(await titled(id)).toBe("Which lens bends light?");
    expect(await titleRuns(id)).toEqual([]);
  });

  it("a person's title stays, even while the model is writing one", async () => {
    const conversationId = await studio.startConversation();
    const title = { params: { conversationId }, body: { title: "Mine" } };
    studio.openai.script({ text: "The Fresnel lens." });
    studio.openai.script({ text: "Theirs", gate: { name: "title", at: "head" } });
    const { run } = await ask(studio.models.openai, conversationId);
    await studio.ended(run.id);
    await until("the title is requested", async () => (await titleRuns(conversationId))[0]);
    await call("updateConversation", title);
    studio.openai.open("title");
    const [asked] = await titleRuns(conversationId);
    await studio.ended(asked!.id);
    expect((await open(conversationId)).title).toBe("Mine");
  });

  it("a failed or empty title changes nothing", async () => {
    const refusal = { error: { message: "no", type: "invalid_request_error" } };
    for (const end of [
      { fault: { kind: "status", status: 400, body: refusal } as const },
      { text: "** **" },
    ]) {
      studio.openai.script({ text: "The Fresnel lens." });
      studio.openai.script(end);
      const { id, run } = await ask(studio.models.openai);
      await studio.ended(run.id);
      expect(await titled(id)).toBe("Which lens bends light?");
      expect(await titleRuns(id)).toHaveLength(1);
    }
  });

  it("a budget that refuses it or requires approval refuses it quietly", async () => {
    for (const onLimit of ["block", "ask"]) {
      await studio.instance.store.db.deleteFrom("budget").execute();
      await call("setBudgets", {
        body: {
          scope: "instance",
          scopeIds: [null],
          period: "total",
          timeZone: "UTC",
          onLimit,
          limitMicros: 2_000,
        },
      });
      const { id } = await converse();
      expect(await titled(id)).toBe("Which lens bends light?");
      expect(await titleRuns(id)).toEqual([]);
    }
  });

  it("a local model's answers are sent to no service elsewhere", async () => {
    // Simulators have local addresses; this one represents a hosted service.
    await studio.instance.store.db
      .updateTable("connection")
      .set({ base_urls: JSON.stringify({ api: "https://models.example.com/v1" }) })
      .where("id", "=", titler.connectionId)
      .execute();
    const { id, run } = await ask(studio.models.ollama);
    await studio.ended(run.id);
    expect(await titled(id)).toBe("Which lens bends light?");
    expect(await titleRuns(id)).toEqual([]);
    await studio.instance.store.db
      .updateTable("connection")
      .set({ base_urls: JSON.stringify({ api: studio.openai.url }) })
      .where("id", "=", titler.connectionId)
      .execute();
  });

  it("temporary chats and conversations started with an API key aren't titled", async () => {
    const { projectId } = studio.person;
    const { conversation } = await call("createConversation", {
      body: { projectId, temporary: true },
    });
    const { run } = await ask(studio.models.openai, conversation.id);
    await studio.ended(run.id);
    const key = await studio.instance.createKey(studio.person);
    const conversationId = await studio.startConversation();
    const said = await key.call<RouteOutput<"sendMessage">>("sendMessage", {
      params: { conversationId },
      body: { parentId: null, text: "By key", ask: { model: studio.models.openai } },
    } as never);
    await studio.ended(said.body.run!.id);
    await requestTitles(studio.instance.engine.deps);
    expect([await titleRuns(conversation.id), await titleRuns(conversationId)]).toEqual([[], []]);
  });

  it("two servers looking at once request one title; one lost in between is requested again", async () => {
    const { db } = studio.instance.store;
    await choose(null);
    const { id } = await converse();
    await titled(id);
    await choose(titler);
    // The state left by a server killed after the answer and before the request.
    await db.updateTable("conversation").set({ titling: "due" }).where("id", "=", id).execute();
    studio.openai.script({ text: "Made up for" });
    const { deps } = studio.instance.engine;
    await Promise.all([requestTitles(deps), requestTitles(deps)]);
    expect(await titled(id)).toBe("Made up for");
    expect(await titleRuns(id)).toHaveLength(1);
  });
});
