import type { Conversation } from "#contract/entities.ts";
import { newAttemptKey } from "./attempt-key.ts";
import { call } from "./client.ts";

/** The fields that create a conversation. */
export type Beginning = {
  projectId: string;
  systemPrompt?: string;
  settings?: Record<string, unknown>;
  temporary?: boolean;
};

/**
 * The conversation of a first message. It is created once until the message is saved, even if the
 * message is edited and sent again, or if the first request's answer was lost.
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
    /** Called when the first message is saved; the next one creates another conversation. */
    end(): void {
      attempt = null;
    },
  };
}
