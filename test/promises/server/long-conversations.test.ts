import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Message } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { getConversation, insertMessage } from "#store/content/conversations.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { openLive } from "../../support/server/live-socket.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

type Opened = RouteOutput<"getConversation">;
type Listed = RouteOutput<"listMessages">;

/**
 * Long conversations aren't read whole: only the outline, pages of messages, and those that a
 * notice names.
 */
forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  /** Messages in sequence, the tenth with a summary below it, whose id is the first. */
  async function seed(count: number) {
    const summaryId = uuid({ msecs: 1 });
    const conversationId = await studio.startConversation();
    const ids = Array.from({ length: count }, () => uuid());
    await studio.instance.commit(async (unit) => {
      const conversation = (await getConversation(unit.tx, conversationId))!;
      const common = { state: "complete", runId: null, continuesId: null } as const;
      for (const [index, id] of ids.entries())
        await insertMessage(unit, conversation, {
          ...common,
          id,
          parentId: ids[index - 1] ?? null,
          role: index % 2 === 0 ? "user" : "assistant",
          parts: [{ type: "text", text: `Café number ${index}.` }],
        });
      await insertMessage(unit, conversation, {
        ...common,
        id: summaryId,
        parentId: ids[9]!,
        role: "context",
        parts: [{ type: "text", text: "A summary of the café." }],
      });
    });
    return { conversationId, ids, summaryId };
  }
  const opened = async (conversationId: string) =>
    (await studio.person.call("getConversation", { params: { conversationId } })).body as Opened;
  const listed = async (conversationId: string, query: Record<string, string>) =>
    (await studio.person.call("listMessages", { params: { conversationId }, query }))
      .body as Listed;
  const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id);

  it("a long conversation is read by its outline, its newest messages and pages", async () => {
    const { conversationId, ids, summaryId } = await seed(120);
    const { outline, messages } = await opened(conversationId);
    expect(outline[0]).toEqual([summaryId, 10, "context"]);
    expect(outline.slice(1)).toEqual(
      ids.map((id, i) => [id, i === 0 ? null : i, i % 2 === 0 ? "user" : "assistant"]),
    );
    expect(idsOf(messages)).toEqual([summaryId, ...ids.slice(-50)]);

    const pages: string[][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listed(conversationId, { limit: "50", ...(cursor && { cursor }) });
      pages.push(idsOf(page.messages));
      if (page.next === null) break;
      cursor = page.next;
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 21]);
    expect(pages.flat()).toEqual([summaryId, ...ids]);

    const other = await studio.ask("elsewhere");
    const some = await listed(conversationId, {
      ids: [ids[70], other.message.id, ids[3]].join(","),
    });
    expect(idsOf(some.messages)).toEqual([ids[3], ids[70]]);
    expect(some.next).toBeNull();
  });

  it("a conversation is found by consecutive words, the last one unfinished, without its summaries", async () => {
    const { conversationId, ids } = await seed(30);
    const find = async (q: string) =>
      (await studio.person.call("findMessages", { params: { conversationId }, query: { q } })).body
        .messageIds;
    expect(await find("CAFE")).toEqual(ids.toReversed());
    expect(await find("number 2")).toEqual([ids[2], ...ids.slice(20)].toReversed());
    expect(await find("number cafe")).toEqual([]);
    expect(await find("…")).toEqual([]);
  });

  it("a notice names the messages that an answer adds, and the one that it completes", async () => {
    const socket = await openLive(await studio.instance.listen(), studio.person.cookie);
    onTestFinished(socket.drop);
    const topic = `project:${studio.person.projectId}`;
    const conversationId = await studio.startConversation();
    socket.subscribe(topic, -1);
    await until("the feed is watched", async () => socket.frames.some((frame) => "at" in frame));
    studio.openai.script({ tokens: 3, gate: { name: "last", at: 2 } });
    const { message, answer, run } = await studio.ask("notice me", "openai", { conversationId });
    const noticed = () =>
      socket.frames
        .flatMap((frame) => ("changes" in frame ? frame.changes : []))
        .filter(({ kind, id }) => kind === "conversation" && id === conversationId)
        .map(({ messageIds }) => messageIds);
    await until("the question is noticed", async () => noticed().length > 0);
    expect(noticed()).toEqual([[message.id, answer.id]]);
    studio.openai.open("last");
    await studio.ended(run.id);
    await until("the answer is noticed", async () => noticed().length > 1);
    expect(noticed()).toEqual([[message.id, answer.id], [answer.id]]);
    const { runs } = await listed(conversationId, { ids: answer.id });
    expect(runs.map(({ id }) => id)).toEqual([run.id]);
  });
});
