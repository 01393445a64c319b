import type { Conversation, Message, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { insertMessages, type NewMessage } from "#store/content/conversations.ts";
import type { EngineDeps } from "../deps.ts";
import type { Turn } from "../plan/turn.ts";
import type { Admission } from "./admit.ts";

type AnswerAsk = {
  conversation: Conversation;
  parentId: string;
  /** The message to answer, if it is inserted in the same unit. */
  newMessage?: NewMessage;
  /** The files attached to `said`. */
  files?: readonly { assetId: string; role: string }[];
  continueFrom?: string | undefined;
  /** The group of an answer that joins answers shown side by side. */
  group?: NewMessage["group"];
  /** The answers to merge, each as the message ids of its rounds. */
  merges?: readonly (readonly string[])[] | undefined;
  /** Inserts a summary of the branch up to `parentId` instead of an answer. */
  summarises?: true;
};

/** Inserts a streaming answer and its run. */
export async function insertAnswer(
  admission: Admission,
  deps: Pick<EngineDeps, "ids">,
  { turn, ...ask }: AnswerAsk & { turn: Turn },
): Promise<{ said?: Message; answer: Message; run: Run }> {
  const { said, answers } = await insertAnswers(admission, deps, { ...ask, turns: [turn] });
  return { ...(said && { said }), ...answers[0]! };
}

/**
 * Inserts answers to one message, each with its run; several are shown side by side. The budgets
 * allow all of them or none.
 */
export async function insertAnswers(
  admission: Admission,
  deps: Pick<EngineDeps, "ids">,
  ask: AnswerAsk & { turns: readonly Turn[] },
): Promise<{ said?: Message; answers: { answer: Message; run: Run }[] }> {
  const { conversation, turns } = ask;
  const planned = turns.map((turn) => ({ turn, id: deps.ids(), runId: deps.ids() }));
  const groupId = planned[0]!.id;
  const messages = planned.map(
    ({ id, runId }, column): NewMessage => ({
      id,
      parentId: ask.parentId,
      role: ask.summarises ? "context" : "assistant",
      state: "streaming",
      parts: [],
      runId,
      continuesId: ask.continueFrom ?? null,
      group: ask.group ?? (planned.length > 1 ? { id: groupId, column } : undefined),
    }),
  );
  const inserted = await insertMessages(admission, conversation, [
    ...(ask.newMessage ? [ask.newMessage] : []),
    ...messages,
  ]);
  const runs = await admission.start(
    planned.map(({ turn, id, runId }) => ({
      id: runId,
      projectId: conversation.projectId,
      visibility: conversation.visibility,
      model: turn.model,
      task: "chat",
      input: inputOf(ask, turn),
      mostMicros: turn.mostMicros,
      routed: turn.routed,
      batchId: null,
      messageId: id,
      files: ask.files ?? [],
    })),
  );
  const answers = runs.map((run, i) => ({ answer: inserted[i + (ask.newMessage ? 1 : 0)]!, run }));
  return { ...(ask.newMessage && { said: inserted[0]! }), answers };
}

const inputOf = (ask: AnswerAsk, turn: Turn): JsonObject => ({
  conversationId: ask.conversation.id,
  parentMessageId: ask.parentId,
  systemPrompt: turn.systemPrompt,
  settings: turn.settings,
  ...(turn.added && { added: turn.added }),
  ...(ask.continueFrom && { continueFrom: ask.continueFrom }),
  ...(turn.answerShape && { answerShape: turn.answerShape as unknown as JsonObject }),
  ...(turn.context && { context: turn.context }),
  ...(ask.merges && { merges: ask.merges.map((rounds) => [...rounds]) }),
  ...(ask.summarises && { summarises: true }),
  ...(turn.tools.length > 0 && { tools: turn.tools }),
});
