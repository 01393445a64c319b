import type { Conversation, Message, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { insertMessages, type NewMessage } from "#store/content/conversations.ts";
import type { EngineDeps } from "../deps.ts";
import type { Turn } from "../plan/turn.ts";
import type { Admission } from "./admit.ts";

/** An answer that is still to come, with its run. */
export async function insertAnswer(
  admission: Admission,
  deps: Pick<EngineDeps, "ids">,
  ask: {
    conversation: Conversation;
    parentId: string;
    turn: Turn;
    /** The message that it answers, where that is written with it. */
    said?: NewMessage;
    /** What was attached to that. */
    files?: readonly { assetId: string; role: string }[];
    continueFrom?: string;
    /** Instead of an answer, a summary of the branch up to `parentId`. */
    summarises?: true;
  },
): Promise<{ said?: Message; answer: Message; run: Run }> {
  const { conversation, turn } = ask;
  const [answerId, runId] = [deps.ids(), deps.ids()];
  const input: JsonObject = {
    conversationId: conversation.id,
    parentMessageId: ask.parentId,
    systemPrompt: turn.systemPrompt,
    settings: turn.settings,
    ...(turn.added && { added: turn.added }),
    ...(ask.continueFrom && { continueFrom: ask.continueFrom }),
    ...(turn.answerShape && { answerShape: turn.answerShape as unknown as JsonObject }),
    ...(turn.context && { context: turn.context }),
    ...(ask.summarises && { summarises: true }),
    ...(turn.tools.length > 0 && { tools: turn.tools }),
  };
  const inserted = await insertMessages(admission, conversation, [
    ...(ask.said ? [ask.said] : []),
    {
      id: answerId,
      parentId: ask.parentId,
      role: ask.summarises ? "context" : "assistant",
      state: "streaming",
      parts: [],
      runId,
      continuesId: ask.continueFrom ?? null,
    },
  ]);
  const [run] = await admission.start([
    {
      id: runId,
      projectId: conversation.projectId,
      visibility: conversation.visibility,
      model: turn.model,
      task: "chat",
      input,
      mostMicros: turn.mostMicros,
      routed: turn.routed,
      batchId: null,
      messageId: answerId,
      files: ask.files ?? [],
    },
  ]);
  const answer = inserted.at(-1)!;
  return { ...(ask.said && { said: inserted[0]! }), answer, run: run! };
}
