import { useLayoutEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";

/** What a person can do in a thread; the messages only offer it. */
export type ThreadActions = {
  turn: (messageId: string) => void;
  inspect: (messageId: string) => void;
  answerAgain: (question: Message) => void;
  continueAnswer: (question: Message, interrupted: Message) => void;
  startEdit: (message: Message) => void;
  cancelEdit: () => void;
  /** Says it beside the message, as a branch. True when it was kept. */
  saveEdit: (
    message: Message,
    text: string,
    attachments: readonly string[],
    isAsking: boolean,
  ) => Promise<boolean>;
};

/** The same functions at each drawing, which do what the newest ones do: a key pressed in the composer draws no message again. */
export function useSteadyActions(actions: ThreadActions): ThreadActions {
  const newest = useRef(actions);
  useLayoutEffect(() => {
    newest.current = actions;
  });
  const [steady] = useState<ThreadActions>(() => ({
    turn: (messageId) => newest.current.turn(messageId),
    inspect: (messageId) => newest.current.inspect(messageId),
    answerAgain: (question) => newest.current.answerAgain(question),
    continueAnswer: (question, interrupted) => newest.current.continueAnswer(question, interrupted),
    startEdit: (message) => newest.current.startEdit(message),
    cancelEdit: () => newest.current.cancelEdit(),
    saveEdit: (...said) => newest.current.saveEdit(...said),
  }));
  return steady;
}
