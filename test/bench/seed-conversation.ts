import { v7 as uuid } from "uuid";
import { insertConversation, insertMessage } from "#store/content/conversations.ts";
import type { Store } from "#store/database/store.ts";
import { insertRun } from "#store/runs/runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import { buildConversation, buildRun } from "../support/databases/store-rows.ts";

const minuteMs = 60_000;
const messagesAtOnce = 500;

const question = (i: number): string =>
  `Question ${i}: what did the keeper of the light see that night, and whom did she tell of it?`;
/** With a typical answer's contents: paragraphs, bold words, a list, code. */
const answer = (i: number): string => `The log of night ${i} is short.

She counted **${i % 7} ships**, and a bird that would not leave the lamp. Whom she told of it, the log does not say; it says what she
did, in the order in which she did it:

- trimmed the wick at dusk,
- climbed the stairs with the \`oil\`,
- wrote down what the wind said.

\`\`\`ts
const night = ${i};
\`\`\`

More of it is on the page that the damp has taken, of which only the number can be read.`;

export type SeededConversation = { id: string; lastMessageId: string };

/**
 * A conversation with a number of messages and answers, a minute apart, each answer with its run.
 */
export async function seedConversation(
  store: Store,
  facts: { projectId: string; userId: string; connectionId: string; count: number },
): Promise<SeededConversation> {
  const { projectId, userId, connectionId, count } = facts;
  const startedAt = Date.now() - count * minuteMs;
  const owned = { projectId, userId, title: `${count} messages`, at: startedAt };
  const conversation = await store.write((tx) =>
    insertConversation(newUnit(tx, startedAt), buildConversation(owned)),
  );
  let parentId: string | null = null;
  for (let from = 0; from < count; from += messagesAtOnce)
    await store.write(async (tx) => {
      for (let i = from; i < Math.min(count, from + messagesAtOnce); i++) {
        const unit = newUnit(tx, startedAt + i * minuteMs);
        const isAnswer = i % 2 === 1;
        const id = uuid({ msecs: unit.at });
        const run = buildRun({
          ...{ id: uuid({ msecs: unit.at }), projectId, userId, connectionId },
          ...{ modelId: "sim-chat", task: "chat", messageId: id, at: unit.at },
          input: { conversationId: conversation.id, parentMessageId: parentId, settings: {} },
        });
        await insertMessage(unit, conversation, {
          ...{ id, parentId, state: "complete", continuesId: null },
          role: isAnswer ? "assistant" : "user",
          runId: isAnswer ? run.id : null,
          parts: [{ type: "text", text: isAnswer ? answer(i) : question(i) }],
        });
        if (isAnswer) await insertRun(unit, run);
        parentId = id;
      }
    });
  await store.write(async (tx) => {
    await tx
      .updateTable("run")
      .set({
        state: "succeeded",
        finished_at: startedAt,
        cost_micros: 12,
        cost_basis: "known",
        usage: JSON.stringify({ inputTokens: 40, outputTokens: 110 }),
      })
      .where("connection_id", "=", connectionId)
      .where("state", "=", "queued")
      .execute();
    await tx
      .updateTable("conversation")
      .set({ head_message_id: parentId })
      .where("id", "=", conversation.id)
      .execute();
  });
  if (parentId === null) throw new Error("a conversation needs messages");
  return { id: conversation.id, lastMessageId: parentId };
}
