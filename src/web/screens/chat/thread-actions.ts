import type { Message } from "#contract/entities.ts";

/** What a person can do in a thread; the messages only offer it. Undefined where they may only read. */
export type ThreadActions = {
  answerAgain: (question: Message) => void;
  continueAnswer: (question: Message, interrupted: Message) => void;
  startEdit: (message: Message) => void;
};

export type EditState = {
  messageId: string | null;
  cancel: () => void;
  /** True when it was kept. */
  save: (message: Message, text: string, attachments: readonly string[], isAsking: boolean) => Promise<boolean>;
};
