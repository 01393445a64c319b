import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { ModelRef } from "#contract/entities.ts";
import { newAttemptKey } from "../../data/attempt-key.ts";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { newConversation } from "../../data/new-conversation.ts";

export type Question = { projectId: string; model: ModelRef; text: string; attachments: string[] };
type Attempt = { wish: string; key: string };

/**
 * Asks in a new conversation and opens it. A retry of the same question uses the same conversation and idempotency
 * key, so that nothing is doubled.
 */
export function useBeginConversation() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const attempt = useRef<Attempt | null>(null);
  const [first] = useState(newConversation);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const ask = async (question: Question): Promise<boolean> => {
    const { projectId, model, text, attachments } = question;
    const wish = JSON.stringify(question);
    if (attempt.current?.wish !== wish) attempt.current = { wish, key: newAttemptKey() };
    const { current } = attempt;
    setSending(true);
    setError(null);
    try {
      const { id } = await first.create({ projectId });
      await call("sendMessage", {
        params: { conversationId: id },
        body: { parentId: null, text, attachments, ask: { model }, idempotencyKey: current.key },
      });
      attempt.current = null;
      first.end();
      void queryClient.invalidateQueries({ queryKey: keys.conversations(projectId) });
      void navigate({ to: "/chat/$id", params: { id } });
      return true;
    } catch (problem) {
      setError(problem);
      return false;
    } finally {
      setSending(false);
    }
  };
  return { ask, isSending, error };
}
