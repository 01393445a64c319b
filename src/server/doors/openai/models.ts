import { aliasConnectionId } from "#contract/aliases.ts";
import type { Model, ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { listUsableConnections, type SealedConnection } from "#store/models/connections.ts";
import { listModels } from "#store/models/list-models.ts";
import { findReach, isModelOpen, type ModelReach } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import type { ServerDeps } from "../../deps.ts";

type Deps = Pick<ServerDeps, "store">;
/** In whose name and for which project a model is asked for. */
export type Reach = { userId: string; projectId: string };

const nearNames = 3;

async function connectionsOf(
  { store }: Deps,
  asking: Reach,
): Promise<{ connections: SealedConnection[]; reach: ModelReach }> {
  const { connections, reach } = await findReach(store.read, asking);
  return { connections: connections.filter(({ status }) => status !== "disabled"), reach };
}

/** Every model that may be used, page by page, with its name here: `connection/model`. */
async function* namedModels(
  deps: Deps,
  asking: Reach,
): AsyncGenerator<{ name: string; model: Model }> {
  const { connections, reach } = await connectionsOf(deps, asking);
  const slugs = new Map(connections.map(({ id, slug }) => [id, slug]));
  for (let cursor: string | undefined; ; ) {
    const page = await listModels(deps.store, {
      connectionIds: [...slugs.keys()],
      userId: asking.userId,
      reach,
      cursor,
      limit: limits.pageSizeMost,
    });
    for (const model of page.models)
      yield { name: nameOf(slugs.get(model.connectionId), model), model };
    if (page.next === null) return;
    cursor = page.next;
  }
}

/** An alias is its name alone; any other model says whose it is. */
const nameOf = (slug: string | undefined, { connectionId, modelId }: Model): string =>
  connectionId === aliasConnectionId ? modelId : `${slug}/${modelId}`;

const shown = (name: string, model: Model) => ({
  id: name,
  object: "model" as const,
  created: Math.floor(model.fetchedAt / 1000),
  owned_by: model.connectionName,
  tasks: model.tasks,
  connection_id: model.connectionId,
  model_id: model.modelId,
});

export async function listNamed(deps: Deps, reach: Reach) {
  const data = [];
  for await (const { name, model } of namedModels(deps, reach)) data.push(shown(name, model));
  return { object: "list" as const, data };
}

/** @throws Problem not_found, which lists the names that are nearest; also for a model that the caller may not use */
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
    (await isModelOpen(deps.store.read, reach, connection, model.modelId))
  )
    return model;
  const near = await nearest(deps, reach, name);
  const hint =
    near.length > 0 ? ` Near it: ${near.join(", ")}.` : " GET /v1/models lists those there are.";
  throw new Problem("not_found", {
    field: "model",
    message: `There is no model “${name.slice(0, 200)}” here.${hint}`,
  });
}

export const describeNamed = async (deps: Deps, reach: Reach, name: string) =>
  shown(name, await findNamed(deps, reach, name));

/** The first of these tasks that a model does. @throws Problem invalid_input */
export function taskOf(model: ModelDetail, wanted: readonly Task[]): Task {
  const task = wanted.find((one) => model.tasks.includes(one));
  if (!task)
    throw new Problem("invalid_input", {
      field: "model",
      message: sentences.api.otherTasks({ model: model.name, tasks: model.tasks.join(", ") }),
    });
  return task;
}

async function nearest(deps: Deps, reach: Reach, name: string): Promise<string[]> {
  const wanted = pairsOf(name);
  const found: { name: string; share: number }[] = [];
  for await (const { name: known } of namedModels(deps, reach)) {
    const share = sharedPairs(wanted, pairsOf(known));
    if (share > 0.2) found.push({ name: known, share });
  }
  return found
    .sort((a, b) => b.share - a.share)
    .slice(0, nearNames)
    .map((one) => one.name);
}

const pairsOf = (text: string): Set<string> => {
  const plain = text.toLowerCase();
  return new Set(
    Array.from({ length: Math.max(0, plain.length - 1) }, (_, i) => plain.slice(i, i + 2)),
  );
};
/** Dice's coefficient of two sets of letter pairs: 0 nothing in common, 1 the same. */
function sharedPairs(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * both) / (a.size + b.size);
}
