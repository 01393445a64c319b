import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Conversation, ModelRef } from "#contract/entities.ts";
import type { ChatSettings } from "../../components/composer/chat-settings.ts";
import { newChatDraftId } from "../../components/composer/message-draft.ts";
import { call } from "../../data/client.ts";
import { useIdempotencyKey } from "../../data/idempotency-key.ts";
import { keys } from "../../data/keys.ts";
import { type NewConversation, newConversation } from "../../data/new-conversation.ts";
import { addSentMessages } from "../../data/queries/conversation.queries.ts";
import { type ServerWait, waitForServer } from "../../data/server-back.ts";
import { describeError } from "../../ui/describe-error.ts";

export type Ask = { model: ModelRef; settings: ChatSettings };
export type NewMessage = {
  text: string;
  attachments: readonly string[];
  parentId: string | null;
  /**
   * Requests to one model, or to several that answer side by side. Empty saves the message without
   * an answer.
   */
  asks: readonly Ask[];
};

export type PendingMessage = {
  /** The draft that the message is from. */
  draftId: string;
  message: NewMessage;
  /**
   * The server is unreachable; the message is retried automatically, or immediately by `sendNow`.
   */
  isUnsent: boolean;
};

/**
 * Sends messages. A retry of the same message has the same idempotency key, so that a lost reply
 * never doubles it.
 * @param options.waits holds a message while the server is unreachable, and sends it when the
 *   server is back
 */
export function useSendMessage({ waits = false } = {}) {
  const queryClient = useQueryClient();
  const attempt = useIdempotencyKey();
  const [first] = useState(newConversation);
  const [pending, setPending] = useState<PendingMessage | null>(null);
  const [failure, setFailure] = useState<{ draftId: string; error: unknown } | null>(null);

  const wait = useRef<ServerWait | null>(null);
  const withdraw = () => wait.current?.giveUp();

  /** @returns the conversation that the message is saved in, the error, or `withdrawn` */
  async function send(
    where: Conversation | NewConversation,
    message: NewMessage,
  ): Promise<{ conversation: Conversation } | { error: unknown } | { withdrawn: true }> {
    const isNew = !("id" in where);
    const draftId = isNew ? newChatDraftId(where.projectId) : where.id;
    setFailure(null);
    setPending({ draftId, message, isUnsent: false });
    const post = async (conversation: Conversation) => {
      const { asks, ...content } = message;
      const answered = await call("sendMessage", {
        params: { conversationId: conversation.id },
        body: {
          ...content,
          ...(asks.length > 1 ? { asks: [...asks] } : { ask: asks[0] }),
          attachments: [...message.attachments],
          idempotencyKey: attempt.keyOf([conversation.id, message]),
        },
      });
      addSentMessages(queryClient, conversation, {
        messages: [answered.message, ...answered.answers.map(({ answer }) => answer)],
        runs: answered.answers.map(({ run }) => run),
        headMessageId: answered.answer?.id ?? answered.message.id,
      });
      return conversation;
    };
    for (let failures = 1; ; failures++) {
      try {
        const conversation = await (isNew ? first.send(where, post, failures === 1) : post(where));
        attempt.end();
        // In a new conversation the message stays visible until the address has changed.
        if (!isNew) setPending(null);
        return { conversation };
      } catch (error) {
        const { code } = describeError(error);
        if (code === "not_found") {
          // The message of an earlier, lost reply was deleted since, so the next one is new.
          attempt.end();
          // Or the project is gone.
          if (isNew) void queryClient.invalidateQueries({ queryKey: keys.me() });
        }
        if (!waits || code !== "unavailable") {
          setFailure({ draftId, error });
          setPending(null);
          return { error };
        }
      }
      setPending({ draftId, message, isUnsent: true });
      wait.current = waitForServer(failures);
      if (await wait.current.ended) continue;
      setPending(null);
      return { withdrawn: true };
    }
  }
  return {
    send,
    pending,
    failure,
    endPending: () => setPending(null),
    sendNow: () => wait.current?.tryNow(),
    /** Ends the wait for the server: `send` returns `withdrawn`. */
    withdraw,
  };
}
