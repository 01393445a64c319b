import type { Model, ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import type { Tx } from "#store/database/store.ts";
import { getConnection, isUsableBy, lockConnections } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModelWithConnection } from "#store/models/models.ts";
import type { EngineDeps } from "../deps.ts";
import { isFreeAt } from "./run-place.ts";

/** The person who makes a request, and the API key if a client makes it for them. */
export type Asker = { userId: string; key?: { id: string } };

/**
 * Returns the model if this person may use it in this project.
 * @throws Problem model_gone
 */
export async function usableModel(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  ref: ModelRef,
  task?: Task,
): Promise<ModelDetail> {
  const { read } = deps.store;
  const { userId } = asker;
  const found = await getModelWithConnection(read, ref);
  const connection = found?.connection ?? (await getConnection(read, ref.connectionId));
  if (!connection || !isUsableBy(connection, userId, projectId) || connection.status === "disabled")
    throw new Problem("model_gone", {
      message: sentences.connections.disabled,
    });
  const model = found?.model;
  const isOpen =
    model && (await isModelOpen(read, { userId, projectId }, connection, model.modelId));
  if (!isOpen || model.status === "gone") throw notHere(ref.connectionId);
  if (task && !model.tasks.includes(task))
    throw new Problem("invalid_input", {
      field: "task",
      message: sentences.connections.modelLacksTask({
        model: model.name,
        lack: doesNot(model, task),
      }),
    });
  return withFreePrice(deps, connection, model);
}

/**
 * The same error for a missing model and for one without access, so that the caller can't tell
 * which it is.
 */
const notHere = (connectionId: string): Problem =>
  new Problem("model_gone", {
    connectionId,
    message: sentences.connections.modelUnavailable,
  });

/**
 * Checks the connections again in the admitting unit. Runs of a connection removed or disabled in
 * the meantime would stay queued forever.
 */
export async function requireConnections(
  tx: Tx,
  models: readonly Pick<ModelRef, "connectionId">[],
): Promise<void> {
  const ids = models.map((model) => model.connectionId);
  const kept = await lockConnections(tx, ids);
  const gone = ids.find((id) => !kept.has(id));
  if (gone) throw new Problem("model_gone", { connectionId: gone });
}

/** A person can change a model's task after it was chosen. */
export function doesNot({ tasks: own }: Pick<ModelDetail, "tasks">, task: Task): string {
  const does = own.map((one) => `“${tasks[one].name}”`).join(", ");
  return sentences.connections.lacksTask({ task: tasks[task].name, tasks: does });
}

/** A free local server lists no prices, so its models get a price of zero. */
export const withFreePrice = <Priced extends Model>(
  deps: Pick<EngineDeps, "kinds">,
  connection: { baseUrls: Record<string, string> },
  model: Priced,
): Priced =>
  isFreeAt(deps.kinds.get(model.connectionKind), connection)
    ? { ...model, prices: [forNothing(model)] }
    : model;

const forNothing = ({ connectionKind: source, fetchedAt: at }: Model) => ({
  unit: "request",
  micros: "0",
  source,
  at,
});
