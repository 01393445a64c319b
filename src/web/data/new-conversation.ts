import type { Conversation } from "#contract/entities.ts";
import { call, isProblem } from "./client.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";

/** The fields that create a conversation. */
export type NewConversation = {
  projectId: string;
  systemPrompt?: string;
  settings?: Record<string, unknown>;
  temporary?: boolean;
};

/** Whether a conversation was deleted or moved to the trash. */
const isGone = ({ id }: Conversation): Promise<boolean> =>
  call("getConversation", { params: { conversationId: id } }).then(
    ({ conversation }) => conversation.trashedAt !== null,
    (error) => isProblem(error, "not_found"),
  );

/**
 * The conversation of a first message. It is created once until the message is saved, even if the
 * message is edited and sent again, or if the first request's answer was lost. If the conversation
 * is gone by then, the message goes to a new one.
 */
export function newConversation() {
  let attempt: { fieldsKey: string; key: string; conversation?: Conversation } | null = null;
  /** @throws ServerProblem, TypeError */
  async function create(fields: NewConversation): Promise<Conversation> {
    const fieldsKey = JSON.stringify(fields);
    if (attempt?.fieldsKey !== fieldsKey) attempt = { fieldsKey, key: newIdempotencyKey() };
    const current = attempt;
    current.conversation ??= (
      await call("createConversation", { body: { ...fields, idempotencyKey: current.key } })
    ).conversation;
    return current.conversation;
  }
  return {
    /**
     * Sends the first message. The next one begins another conversation.
     * @param mayRepeat false if an earlier request may have saved the message, so that only the
     *   person sends it again
     * @throws ServerProblem, TypeError
     */
    async send<Sent>(
      fields: NewConversation,
      sendTo: (conversation: Conversation) => Promise<Sent>,
      mayRepeat = true,
    ): Promise<Sent> {
      const conversation = await create(fields);
      const sent = await sendTo(conversation).catch(async (error) => {
        const mayBeGone = isProblem(error, "not_found") || isProblem(error, "conflict");
        if (!mayBeGone || !(await isGone(conversation))) throw error;
        attempt = null;
        if (!mayRepeat) throw error;
        return sendTo(await create(fields));
      });
      attempt = null;
      return sent;
    },
  };
}
