import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { Message, MessagePart } from "#contract/entities.ts";
import { countBranch, createCountedBranches } from "#engine/plan/context/count.ts";
import { completeMessage, getConversation, insertMessage } from "#store/content/conversations.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

const text = (words: string): MessagePart[] => [{ type: "text", text: words }];
const tools: MessagePart[] = [
  { type: "tool-call", callId: "1", name: "look", input: { at: "Genoa" } },
];
const results: MessagePart[] = [
  {
    type: "tool-result",
    callId: "1",
    name: "look",
    state: "done",
    runId: null,
    output: "A harbor.",
    assetIds: [],
  },
];

/** A branch's sent part is counted once, and later updated with each addition. */
onSqlite((create) => {
  async function build() {
    const { instance, startConversation } = await createStudio(await create(), {
      endsWithTest: true,
    });
    const conversationId = await startConversation();
    const { deps } = instance.engine;
    const add = (
      parentId: string | null,
      role: Message["role"],
      parts: MessagePart[],
      state: Message["state"] = "complete",
    ): Promise<string> =>
      instance.commit(async (unit) => {
        const conversation = (await getConversation(unit.tx, conversationId))!;
        const id = uuid();
        const runId = role === "assistant" ? uuid() : null;
        await insertMessage(unit, conversation, {
          ...{ id, parentId, role, parts, state, runId },
          continuesId: null,
        });
        return id;
      });
    const end = (id: string, state: "complete" | "interrupted", words: string) =>
      instance.commit((unit) => completeMessage(unit, id, state, text(words)));
    const count = (id: string, of = conversationId) => countBranch(deps, of, id);
    const countAgain = (id: string) =>
      countBranch({ ...deps, counted: createCountedBranches() }, conversationId, id);
    return { instance, conversationId, add, end, count, countAgain, startConversation };
  }

  it("an incremental count of a branch equals a full count", async () => {
    const { add, end, count, countAgain } = await build();
    const check = async (id: string) => {
      const counted = await count(id);
      expect(counted).toEqual(await countAgain(id));
      return counted;
    };
    const file: MessagePart = { type: "file", assetId: uuid() };
    const first = await add(null, "user", [file, ...text("Où est la mer ?")]);
    await check(first);
    const called = await add(first, "assistant", tools);
    const looked = await add(called, "tool", results);
    const open = await add(looked, "assistant", [], "streaming");
    expect((await check(open)).openRunIds).toHaveLength(1);
    await end(open, "complete", "There.");
    expect(await check(open)).toMatchObject({ messages: 4, openRunIds: [], leftOut: 0 });

    const second = await add(open, "user", text("And the harbor?"));
    const stopped = await add(second, "assistant", [], "streaming");
    await end(stopped, "interrupted", "Beh");
    const third = await add(stopped, "user", text("Go on."));
    const before = await check(third);
    // Late text from a server that was considered dead.
    await end(stopped, "complete", "Behind the hill.");
    expect((await check(third)).characters).toBe(before.characters + "ind the hill.".length);

    await add(open, "context", text("They looked for the sea."));
    expect(await check(third)).toMatchObject({ leftOut: 4, messages: 3 });
    expect(await check(open)).toMatchObject({ leftOut: 4, messages: 0 });
    const other = await add(open, "assistant", text("Another round."));
    expect(await check(other)).toMatchObject({ leftOut: 0, messages: 5, summary: "" });
    const fourth = await add(third, "assistant", text("Yes."));
    expect(await check(fourth)).toMatchObject({ leftOut: 4, messages: 4 });
  });

  it("counted messages aren't read again, and the count isn't used in another conversation", async () => {
    const { instance, conversationId, add, count, startConversation } = await build();
    let last: string | null = null;
    for (let i = 0; i < 60; i++)
      last = await add(last, i % 2 === 0 ? "user" : "assistant", text(`Number ${i}.`));
    const counted = await count(last!);
    const elsewhere = await startConversation();
    expect(await count(last!, elsewhere)).toMatchObject({ messages: 0, bytes: 0 });
    const next = await add(last, "user", text("Next."));
    await instance.store.db
      .updateTable("message")
      .set({ parts: "unreadable" })
      .where("conversation_id", "=", conversationId)
      .where("id", "!=", next)
      .execute();
    expect(await count(next)).toMatchObject({ messages: 61, bytes: counted.bytes + 5 });
  });
});
