import type { ModelRef, Run, Visibility } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { getMessage, lockConversation } from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { planInput } from "../plan/input.ts";
import { admit, findUnderKey, underKey } from "./admit.ts";

export type StandaloneRequest = {
  projectId: string;
  visibility: Visibility;
  /**
   * The message whose conversation decides who sees the run, including after the conversation is
   * shared or made private.
   */
  messageId: string | null;
  model: ModelRef;
  task: Task;
  input: JsonObject;
  retryOf?: string;
  idempotencyKey?: string;
};

/**
 * Admits a single run outside the Create form: dictation, text to speech, or the retry of a tool's
 * run.
 * @throws Problem invalid_input with the field, conflict in a conversation in the trash, and what
 *   `admit` throws
 */
export function admitStandalone(
  deps: EngineDeps,
  asker: Asker,
  ask: StandaloneRequest,
): Promise<Run> {
  const { idempotencyKey, model: ref, ...rest } = ask;
  const { projectId, task } = ask;
  const idempotency = underKey(idempotencyKey, { ...rest, ref });
  return admit(
    deps,
    { asker, projectId, models: [{ ref, task }], idempotency },
    {
      find: async (key) => (await findUnderKey(deps, key)).run,
      async plan([model]) {
        const planned = await planInput(deps, asker, model!, ask);
        return {
          models: [planned.model],
          async insert({ tx, start }) {
            const now = await visibilityNow(tx, ask);
            const visibility = planned.visibility === "author" ? "author" : now;
            const [run] = await start([{ ...rest, ...planned, visibility, batchId: null }]);
            return run!;
          },
        };
      },
    },
  );
}

/**
 * Reads the visibility from the locked conversation, because it can be shared or deleted while the
 * run is planned.
 * @throws Problem conflict in the trash
 */
async function visibilityNow(
  tx: Tx,
  { messageId, visibility }: StandaloneRequest,
): Promise<Visibility> {
  const message = messageId === null ? undefined : await getMessage(tx, messageId);
  const conversation = message && (await lockConversation(tx, message.conversationId));
  if (conversation && conversation.trashedAt !== null)
    throw new Problem("conflict", { message: sentences.chat.inTrash });
  return conversation?.visibility ?? visibility;
}
