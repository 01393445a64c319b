import type { Conversation } from "#contract/entities.ts";
import { call } from "./client.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";

/** The fields that create a conversation. */
export type NewConversation = {
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
  let attempt: { fieldsKey: string; key: string; conversation?: Conversation } | null = null;
  return {
    /** @throws ServerProblem, TypeError */
    async create(fields: NewConversation): Promise<Conversation> {
      const fieldsKey = JSON.stringify(fields);
      if (attempt?.fieldsKey !== fieldsKey) attempt = { fieldsKey, key: newIdempotencyKey() };
      const current = attempt;
      current.conversation ??= (
        await call("createConversation", { body: { ...fields, idempotencyKey: current.key } })
      ).conversation;
      return current.conversation;
    },
    /** Called when the first message is saved; the next one creates another conversation. */
    end(): void {
      attempt = null;
    },
  };
}
