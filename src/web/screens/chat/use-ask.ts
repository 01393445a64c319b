import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Conversation, Message, ModelRef } from "#contract/entities.ts";
import type { ChatSettings } from "../../components/composer/chat-settings.ts";
import { newAttemptKey } from "../../data/attempt-key.ts";
import { call } from "../../data/client.ts";
import { type Beginning, newConversation } from "../../data/new-conversation.ts";
import { addSaid } from "../../data/queries/chat.queries.ts";
import { type ServerWait, waitForServer } from "../../data/server-back.ts";
import { describeError } from "../../ui/describe-error.ts";

export type Ask = { model: ModelRef; settings: ChatSettings };
export type Said = {
  text: string;
  attachments: readonly string[];
  parentId: string | null;
  /** Without it the message is only kept. */
  ask?: Ask;
};

type Attempt = { fingerprint: string; key: string };
/** Where something is said: a conversation's id, or "new". */
export type Place = string;
export const newPlace = "new";

export type Pending = {
  place: Place;
  said: Said;
  /** The server could not be reached: it is sent again by itself, or at once by `sendNow`. */
  isUnsent: boolean;
};

/**
 * Says something. The key of an attempt is made once and sent again with the same words, so that a reply that was lost
 * doubles nothing; other words are another attempt.
 * @param options.waits keeps a message that finds no server and sends it when the server is back
 */
export function useSay({ waits = false } = {}) {
  const queryClient = useQueryClient();
  const attempt = useRef<Attempt | null>(null);
  const [first] = useState(newConversation);
  const [pending, setPending] = useState<Pending | null>(null);
  const [failure, setFailure] = useState<{ place: Place; error: unknown } | null>(null);

  const wait = useRef<ServerWait | null>(null);
  const withdraw = () => wait.current?.giveUp();

  /** @returns the conversation it was kept in, or why it was not: `withdrawn` when nobody waits for it any more */
  async function say(
    where: Conversation | Beginning,
    said: Said,
  ): Promise<{ kept: Conversation } | { error: unknown } | { withdrawn: true }> {
    const isNew = !("id" in where);
    const place = isNew ? newPlace : where.id;
    const fingerprint = JSON.stringify([place, said]);
    if (attempt.current?.fingerprint !== fingerprint)
      attempt.current = { fingerprint, key: newAttemptKey() };
    const { current } = attempt;
    setFailure(null);
    setPending({ place, said, isUnsent: false });
    const send = async () => {
      const conversation = isNew ? await first.create(where) : where;
      const answered = await call("sendMessage", {
        params: { conversationId: conversation.id },
        body: {
          parentId: said.parentId,
          text: said.text,
          attachments: [...said.attachments],
          ask: said.ask,
          idempotencyKey: current.key,
        },
      });
      addSaid(queryClient, conversation, {
        messages: [answered.message, ...(answered.answer ? [answered.answer] : [])],
        run: answered.run,
      });
      return conversation;
    };
    for (let failures = 1; ; failures++) {
      try {
        const kept = await send();
        attempt.current = null;
        if (isNew) first.end();
        // Of a new conversation it is shown until the address has changed to it.
        if (!isNew) setPending(null);
        return { kept };
      } catch (error) {
        if (!waits || describeError(error).code !== "unavailable") {
          setFailure({ place, error });
          setPending(null);
          return { error };
        }
      }
      setPending({ place, said, isUnsent: true });
      wait.current = waitForServer(failures);
      if (await wait.current.ended) continue;
      setPending(null);
      return { withdrawn: true };
    }
  }
  return {
    say,
    pending,
    failure,
    endPending: () => setPending(null),
    sendNow: () => wait.current?.tryNow(),
    /** Takes back what waits for the server: `say` ends with `withdrawn`. */
    withdraw,
  };
}

/** Asks for another answer to a message, or for the rest of an interrupted one. @throws ServerProblem, TypeError */
export function useAnswerAgain() {
  const queryClient = useQueryClient();
  const attempts = useRef(new Map<string, string>());
  return async (
    conversation: Conversation,
    question: Message,
    ask: Ask,
    continueFrom?: string,
  ): Promise<void> => {
    const fingerprint = JSON.stringify([question.id, ask, continueFrom ?? null]);
    const idempotencyKey = attempts.current.get(fingerprint) ?? newAttemptKey();
    attempts.current.set(fingerprint, idempotencyKey);
    const { answer, run } = await call("answerAgain", {
      params: { messageId: question.id },
      body: { ...ask, continueFrom, idempotencyKey },
    });
    // The same question asked again by hand is another attempt.
    attempts.current.delete(fingerprint);
    addSaid(queryClient, conversation, { messages: [answer], run });
  };
}
