import { useLayoutEffect, useRef, useState } from "react";
import type { Message, ModelRef } from "#contract/entities.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";

/** Actions on messages of a thread. */
export type ThreadActions = {
  turn: (messageId: string) => void;
  inspect: (messageId: string) => void;
  answerAgain: (question: MessageNode) => void;
  /** Retries one of several side-by-side answers with the same model, in its column. */
  retryInGroup: (question: MessageNode, answer: Message) => void;
  /** Continues the conversation from one of several answers. */
  pick: (messageId: string) => Promise<void>;
  /** Merges answers to a question into one. Resolves to whether it was requested. */
  merge: (question: MessageNode, answerIds: string[], model: ModelRef) => Promise<boolean>;
  continueAnswer: (question: MessageNode, interrupted: Message) => void;
  /** Forks the conversation, with the branch up to this message. */
  fork: (messageId: string) => void;
  /** Deletes this message with its replies. */
  prune: (messageId: string) => void;
  startEdit: (message: MessageNode) => void;
  cancelEdit: () => void;
  /** Saves the edited message as a branch. Resolves to whether it was saved. */
  saveEdit: (
    message: Message,
    text: string,
    attachments: readonly string[],
    isAsking: boolean,
  ) => Promise<boolean>;
};

/**
 * Stable functions that call the latest ones, so that typing in the composer rerenders no message.
 */
export function useSteadyActions(actions: ThreadActions): ThreadActions {
  const newest = useRef(actions);
  useLayoutEffect(() => {
    newest.current = actions;
  });
  const [steady] = useState<ThreadActions>(() => ({
    turn: (messageId) => newest.current.turn(messageId),
    inspect: (messageId) => newest.current.inspect(messageId),
    answerAgain: (question) => newest.current.answerAgain(question),
    retryInGroup: (question, answer) => newest.current.retryInGroup(question, answer),
    pick: (messageId) => newest.current.pick(messageId),
    merge: (...asked) => newest.current.merge(...asked),
    continueAnswer: (question, interrupted) => newest.current.continueAnswer(question, interrupted),
    fork: (messageId) => newest.current.fork(messageId),
    prune: (messageId) => newest.current.prune(messageId),
    startEdit: (message) => newest.current.startEdit(message),
    cancelEdit: () => newest.current.cancelEdit(),
    saveEdit: (...edit) => newest.current.saveEdit(...edit),
  }));
  return steady;
}
