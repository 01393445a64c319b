import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { type Actor, isAmong } from "#domain/people/policy.ts";
import { listUsableConnections } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import { toOpenAiModel } from "#store/models/named-models.ts";
import type { ServerDeps } from "../../deps.ts";

type Deps = Pick<ServerDeps, "store" | "lists">;
/** The person, project and key restrictions that a model is looked up for. */
export type Reach = { userId: string; projectId: string; only: readonly ModelRef[] | null };

export const reachOf = ({ actor, projectId }: { actor: Actor; projectId: string }): Reach => ({
  userId: actor.userId,
  projectId,
  only: actor.key?.models ?? null,
});

const nearNames = 3;

/**
 * @throws Problem not_found, listing the closest names; also for a model that the caller may not
 *   use
 */
export async function findNamed(deps: Deps, reach: Reach, name: string): Promise<ModelDetail> {
  const slash = name.indexOf("/");
  const usable = await listUsableConnections(deps.store.read, reach.userId, reach.projectId);
  const connection = usable.find(
    ({ id, slug, status }) =>
      status !== "disabled" &&
      (slash < 0 ? id === aliasConnectionId : slug === name.slice(0, slash)),
  );
  const model =
    connection && (await getModel(deps.store.read, connection.id, name.slice(slash + 1)));
  if (
    model &&
    model.status !== "gone" &&
    isAmong(reach.only, model) &&
    (await isModelOpen(deps.store.read, reach, connection, model.modelId))
  )
    return model;
  const near = await deps.lists.findNearModels(reach, name, nearNames);
  const hint =
    near.length > 0 ? ` Near it: ${near.join(", ")}.` : " GET /v1/models lists those there are.";
  throw new Problem("not_found", {
    field: "model",
    message: `There is no model “${name.slice(0, 200)}” here.${hint}`,
  });
}

export async function describeNamed(deps: Deps, reach: Reach, name: string) {
  const model = await findNamed(deps, reach, name);
  const { connectionId, connectionName, modelId, tasks, fetchedAt } = model;
  return toOpenAiModel({ name, connectionId, connectionName, modelId, tasks, fetchedAt });
}

/**
 * Returns the first of these tasks that the model supports.
 * @throws Problem invalid_input
 */
export function taskOf(model: ModelDetail, wanted: readonly Task[]): Task {
  const task = wanted.find((one) => model.tasks.includes(one));
  if (!task)
    throw new Problem("invalid_input", {
      field: "model",
      message: sentences.api.otherTasks({ model: model.name, tasks: model.tasks.join(", ") }),
    });
  return task;
}
