import type { Conversation } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { forkTitle } from "#domain/text/fork-title.ts";
import { insertFork, planFork } from "#store/content/chats/forks.ts";
import {
  findConversationByIdempotencyKey,
  findMessage,
  getConversation,
} from "#store/content/conversations.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { admit, sameRequest, underKey } from "./admit.ts";
import { requireConversation } from "./next-turn.ts";

/**
 * Copies the branch up to a message into a new conversation. Nothing runs and nothing is charged:
 * each copy refers to the run of its original.
 * @throws Problem not_found, conflict, idempotency_mismatch
 */
export async function admitFork(
  deps: EngineDeps,
  asker: Asker,
  { messageId, idempotencyKey }: { messageId: string; idempotencyKey?: string },
): Promise<Conversation> {
  const message = await findMessage(deps.store.read, messageId);
  const known = message && (await getConversation(deps.store.read, message.conversationId));
  if (!known || message.role === "context") throw new Problem("not_found");
  return admit(
    deps,
    {
      asker,
      projectId: known.projectId,
      models: [],
      idempotency: underKey(idempotencyKey, { fork: messageId }),
    },
    {
      async find({ scope, key, requestHash }) {
        const found = await findConversationByIdempotencyKey(deps.store.read, scope, key);
        return sameRequest(found, requestHash)?.conversation;
      },
      plan: async () => ({
        models: [],
        async insert(admission) {
          const { tx, idempotency } = admission;
          const source = await requireConversation(tx, known.id);
          if (source.expiresAt !== null)
            throw new Problem("conflict", { message: sentences.chat.temporaryNotListed });
          const { ids, bytes, isRunning, hasTools } = await planFork(tx, source.id, messageId);
          if (ids.length === 0) throw new Problem("not_found");
          if (isRunning) throw new Problem("conflict", { message: sentences.chat.forkRunning });
          if (message.role === "assistant" && hasTools)
            throw new Problem("conflict", { message: sentences.chat.forkInside });
          if (ids.length > limits.forkMessages || bytes > limits.forkBytes)
            throw new Problem("conflict", {
              message: sentences.chat.forkTooLong({
                messages: limits.forkMessages,
                bytes: limits.forkBytes,
              }),
            });
          return insertFork(admission, deps.ids, {
            source,
            title: forkTitle(source.title, limits.nameCharacters),
            messageId,
            ids,
            idempotency,
          });
        },
      }),
    },
  );
}
