import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 5 } } });
  });
  afterAll(() => studio.close());

  const body = (prompt: string, idempotencyKey: string) => ({
    projectId: studio.person.projectId,
    models: [studio.models.fal],
    task: "image",
    input: { prompt, image_size: { width: 64, height: 64 } },
    idempotencyKey,
  });
  const idsOf = (answer: { body: Record<string, unknown> }) =>
    (answer.body.runs as { id: string }[]).map((run) => run.id);

  it("the same key with the same request gives the same run, also after it has ended", async () => {
    const first = await studio.person.call("createRuns", { body: body("once", "key-1") });
    const [id] = idsOf(first);
    await studio.ended(id!);
    const second = await studio.person.call("createRuns", { body: body("once", "key-1") });
    expect(idsOf(second)).toEqual([id]);
    expect(studio.fal.ledger.postsOf("once")).toBe(1);
  });

  it("a conversation created again under its key is the same one, even if both arrive at once", async () => {
    const { projectId } = studio.person;
    const create = (title: string, idempotencyKey?: string) =>
      studio.person.call<{ conversation: { id: string }; code: string }>("createConversation", {
        body: { projectId, title, idempotencyKey },
      });
    const idOf = (answer: Awaited<ReturnType<typeof create>>) => answer.body.conversation.id;
    const both = await Promise.all([create("tides", "key-c"), create("tides", "key-c")]);
    const again = await create("tides", "key-c");
    expect(new Set([...both, again].map(idOf)).size).toBe(1);
    expect(await create("winds", "key-c")).toMatchObject({
      status: 422,
      body: { code: "idempotency_mismatch" },
    });
    expect(idOf(await create("tides", "key-d"))).not.toBe(idOf(again));
    expect(idOf(await create("tides"))).not.toBe(idOf(await create("tides")));
  });

  it("the same key with another request is refused with 422 and makes nothing", async () => {
    await studio.person.call("createRuns", { body: body("this", "key-2") });
    const other = await studio.person.call("createRuns", { body: body("that", "key-2") });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    expect(studio.fal.ledger.postsOf("that")).toBe(0);
  });

  it("a key belongs to one request, whatever other keys look like and whatever was requested first", async () => {
    await studio.person.call("createRuns", { body: body("by itself", "key-a#1") });
    const batch = await studio.person.call("createRuns", {
      body: { ...body("two of it", "key-a"), variants: 6 },
    });
    expect(batch.status).toBe(200);
    expect(
      idsOf(
        await studio.person.call("createRuns", {
          body: { ...body("two of it", "key-a"), variants: 6 },
        }),
      ),
    ).toEqual(idsOf(batch));
    const conversationId = await studio.startConversation();
    const say = {
      params: { conversationId },
      body: { parentId: null, text: "only said", idempotencyKey: "key-b" },
    };
    expect((await studio.person.call("sendMessage", say)).status).toBe(200);
    expect(
      await studio.person.call("createRuns", { body: body("under a message's key", "key-b") }),
    ).toMatchObject({ status: 422 });
  });

  it("ten requests at once with one key are one batch", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        studio.person.call("createRuns", { body: body("at once", "key-3") }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    const ids = new Set(answers.flatMap(idsOf));
    expect(ids.size).toBe(1);
    await studio.ended([...ids][0]!);
    expect(studio.fal.ledger.postsOf("at once")).toBe(1);
  });

  it("the keys of two people are two keys", async () => {
    const other = await studio.instance.createPerson("eve@example.org");
    const [mine, theirs] = await Promise.all([
      studio.person.call("createRuns", { body: body("whose", "key-4") }),
      other.call("createRuns", { body: { ...body("whose", "key-4"), projectId: other.projectId } }),
    ]);
    expect(theirs.status).toBe(200);
    expect(idsOf(mine)).not.toEqual(idsOf(theirs));
    const { projectId } = studio.person;
    const member = { role: "editor", created_at: 0, name: "" } as const;
    await studio.instance.store.db
      .insertInto("project_member")
      .values({ project_id: projectId, user_id: other.user.id, ...member })
      .execute();
    const together = await other.call("createRuns", { body: body("whose", "key-4") });
    expect(together.status).toBe(200);
    expect(idsOf(together)).not.toEqual(idsOf(mine));
  });

  it("a message sent five times at once under one key is saved once and answered once", async () => {
    const conversationId = await studio.startConversation();
    const posts = studio.openai.posts.length;
    const asked = await Promise.all(
      Array.from({ length: 5 }, () =>
        studio.ask("say it once", "openai", { conversationId, idempotencyKey: "message-1" }),
      ),
    );
    expect(new Set(asked.map(({ run }) => run.id)).size).toBe(1);
    await studio.ended(asked[0]!.run.id);
    const shown = await studio.person.call("getConversation", { params: { conversationId } });
    expect((shown.body.messages as unknown[]).length).toBe(2);
    expect(studio.openai.posts.length - posts).toBe(1);
  });

  it("another answer requested five times at once under one key is one answer", async () => {
    const { run, message } = await studio.ask("answer me");
    await studio.ended(run.id);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        studio.person.call("answerAgain", {
          params: { messageId: message.id },
          body: { model: studio.models.openai, idempotencyKey: "answer-1" },
        }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => (answer.body.run as { id: string }).id)).size).toBe(1);
  });
});
