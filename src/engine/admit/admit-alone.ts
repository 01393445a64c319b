import type { ModelRef, Run, Visibility } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { assetsInInput, withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { insertRunInputs } from "#store/content/assets.ts";
import { getMessage, lockConversation } from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { hashOf } from "../connections/catalogue.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";
import {
  type Asker,
  admitOnce,
  admitRuns,
  foundUnderKey,
  newRun,
  requireAssets,
  requireConnections,
  requireValid,
  usableModel,
} from "./admission.ts";
import { priceInput } from "./hold.ts";
import { routeAsk } from "./route-ask.ts";

export type AloneAsk = {
  projectId: string;
  visibility: Visibility;
  /** Who sees its conversation sees the run, also when that is shared or taken back later. */
  messageId: string | null;
  model: ModelRef;
  task: Task;
  input: JsonObject;
  retryOf?: string;
  idempotencyKey?: string;
};

/**
 * Admits one run that belongs to no form of Create: what is dictated, what is read aloud, a tool's that is tried again.
 * @throws Problem invalid_input with the field, model_gone, storage_full, idempotency_mismatch, budget_exceeded, ceiling_needed
 */
export function admitAlone(deps: EngineDeps, asker: Asker, ask: AloneAsk): Promise<Run> {
  const { idempotencyKey, model: ref, ...rest } = ask;
  const { projectId, task } = ask;
  const idempotency =
    idempotencyKey === undefined
      ? undefined
      : {
          scope: `${projectId}:${asker.userId}`,
          key: idempotencyKey,
          requestHash: hashOf({ ...rest, ref }),
        };
  const existing = async (): Promise<Run | undefined> =>
    idempotency && (await foundUnderKey(deps, idempotency)).run;

  return admitOnce(existing, async () => {
    await refuseWhenFull(deps);
    const model = await usableModel(deps, asker, projectId, ref, task);
    const input = withRequiredDefaults(model.inputSchema, ask.input);
    requireValid(model, input);
    const files = assetsInInput(input);
    const fileIds = files.map(({ assetId }) => assetId);
    const ofFiles = await requireAssets(deps, asker, projectId, fileIds);
    const routed = await routeAsk(deps, model, input, { priceOf: priceInput(deps, asker, ask) });
    return deps.commit(async (tx, outbox) => {
      await requireConnections(deps, tx, [routed.model]);
      const visibility = ofFiles === "author" ? ofFiles : await visibilityNow(deps, tx, ask);
      const planned = newRun(
        deps,
        asker,
        {
          ...rest,
          visibility,
          model: routed.model,
          input: routed.given,
          mostMicros: routed.mostMicros,
          routed,
          batchId: null,
          idempotency,
        },
        deps.clock.now(),
      );
      const [run] = await admitRuns(deps, tx, outbox, [planned]);
      await insertRunInputs(tx, run!.id, files);
      return run!;
    });
  });
}

/** Of a conversation that may just be shared: as it is when the unit commits. */
async function visibilityNow(
  deps: EngineDeps,
  tx: Tx,
  { messageId, visibility }: AloneAsk,
): Promise<Visibility> {
  const message = messageId === null ? undefined : await getMessage(tx, messageId);
  const conversation = message && (await lockConversation(deps.store, tx, message.conversationId));
  return conversation?.visibility ?? visibility;
}
