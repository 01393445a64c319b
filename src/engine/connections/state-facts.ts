import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import type { ConnectionKind } from "#providers/adapter.ts";
import { refreshAliases } from "#store/models/aliases.ts";
import { getConnection, type SealedConnection } from "#store/models/connections.ts";
import { getModel, type NewModel, upsertModels } from "#store/models/models.ts";
import { type FactsChange, putModelFacts } from "#store/models/own-facts.ts";
import type { EngineDeps } from "../deps.ts";
import { lockModels, ownTasksOf, readList, type Tasks } from "./catalogue.ts";
import { kindOf, toProblem } from "./open-connection.ts";

/**
 * Saves the facts that a person sets for a model. A different task changes the model's form and
 * call, which come from reading the provider's list with that task. Both are saved in one unit.
 * @throws Problem not_found, invalid_input, conflict, or the provider's error
 */
export async function stateFacts(deps: EngineDeps, change: Omit<FactsChange, "at">): Promise<void> {
  const { connectionId, modelId, facts } = change;
  const connection = await getConnection(deps.store.db, connectionId);
  if (!connection || !(await getModel(deps.store.db, connectionId, modelId)))
    throw new Problem("not_found");
  const task = facts?.task;
  if (task) requireTaken(kindOf(deps, connection.kind), task);
  const tasks = await ownTasksOf(deps.store.db, connectionId);
  const before = tasks.get(modelId);
  const listed =
    task === before ? null : await readListed(deps, connection, tasks, { modelId, task });
  await deps.commit(async ({ tx, at }) => {
    await lockModels(deps, tx, connectionId);
    if ((await ownTasksOf(tx, connectionId)).get(modelId) !== before)
      throw new Problem("conflict", {
        message: sentences.connections.detailsChanged,
      });
    if (!(await putModelFacts(tx, { ...change, at }))) throw new Problem("not_found");
    if (!listed) return;
    await upsertModels(tx, [{ ...listed, fetchedAt: at }]);
    await refreshAliases(tx, at);
  });
}

function requireTaken(
  { name, takesTasks, tasks }: Pick<ConnectionKind, "name" | "takesTasks" | "tasks">,
  task: Task,
): void {
  const wrong = !takesTasks
    ? sentences.connections.detailsFixed({ service: name })
    : tasks.includes(task)
      ? null
      : sentences.connections.taskNotOffered({ task });
  if (wrong) throw new Problem("invalid_input", { field: "facts.task", message: wrong });
}

/**
 * Reads one model from its service's list as if it had the given task.
 * @throws Problem not_found if the model is no longer listed
 */
async function readListed(
  deps: EngineDeps,
  connection: SealedConnection,
  said: Tasks,
  { modelId, task }: { modelId: string; task: Task | undefined },
): Promise<NewModel> {
  const tasks = new Map(said);
  if (task) tasks.set(modelId, task);
  else tasks.delete(modelId);
  try {
    for await (const models of readList(deps, connection, tasks, deps.clock.now())) {
      const found = models.find((model) => model.modelId === modelId);
      if (found) return found;
    }
  } catch (error) {
    throw toProblem(error, connection.id);
  }
  throw new Problem("not_found", { message: sentences.connections.modelGone });
}
