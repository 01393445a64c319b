import type { Conversation } from "#contract/entities.ts";
import { newAttemptKey } from "./attempt-key.ts";
import { call } from "./client.ts";

/** What a conversation is created with. */
export type Beginning = {
  projectId: string;
  systemPrompt?: string;
  settings?: Record<string, unknown>;
  temporary?: boolean;
};

/**
 * The conversation of a first message. It is created once, however often and with whatever words the message is sent until it
 * is saved, also when the answer to the first request was lost.
 */
export function newConversation() {
  let attempt: { wish: string; key: string; conversation?: Conversation } | null = null;
  return {
    /** @throws ServerProblem, TypeError */
    async create(beginning: Beginning): Promise<Conversation> {
      const wish = JSON.stringify(beginning);
      if (attempt?.wish !== wish) attempt = { wish, key: newAttemptKey() };
      const current = attempt;
      current.conversation ??= (
        await call("createConversation", { body: { ...beginning, idempotencyKey: current.key } })
      ).conversation;
      return current.conversation;
    },
    /** Its first message is saved: the next one gets a conversation of its own. */
    end(): void {
      attempt = null;
    },
  };
}
