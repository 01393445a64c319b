import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { aliasOf, endpointOf } from "#domain/models/fal-apps.ts";
import { isAmong } from "#domain/people/policy.ts";
import type { SocketReach } from "#engine/sessions/issue-token.ts";
import { listUsableConnections, type SealedConnection } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel, listModelsNamed } from "#store/models/models.ts";
import type { ServerDeps } from "../../deps.ts";

export const falKind = "fal";
const streamPath = "/stream";

type FalAsk = {
  userId: string;
  projectId: string;
  connection: string | undefined;
  /** The models that the API key is restricted to. */
  only: readonly ModelRef[] | null;
};
type Deps = Pick<ServerDeps, "store">;

/**
 * Finds the model that fal's client requests: on the named fal connection, or on the first that has
 * it and where it is open to the caller. A model without access looks like one that doesn't exist.
 * @throws Problem not_found
 */
export async function findFalModel(
  deps: Deps,
  ask: FalAsk & { modelId: string },
): Promise<ModelDetail> {
  const connections = await findConnections(deps, ask);
  // A stream's URL ends in `/stream`, and such a model may have no entry of its own.
  const names = [
    ask.modelId,
    ...(ask.modelId.endsWith(streamPath) ? [ask.modelId.slice(0, -streamPath.length)] : []),
  ];
  for (const name of names) {
    for (const connection of connections) {
      const model = await getModel(deps.store.read, connection.id, name);
      if (model && model.status !== "gone" && (await isOpen(deps, ask, connection, model)))
        return model;
    }
  }
  throw new Problem("not_found", {
    message: sentences.fal.noModel({ model: ask.modelId }),
  });
}

/**
 * Finds the models that a socket token opens, a realtime model first: all models of an app, given
 * by its alias, or the model of one endpoint, given by its path. A token for an app also opens
 * endpoints that are listed nowhere, so it takes the right to any model of the connection.
 * @throws Problem not_found; forbidden if the caller may not use all of them
 */
export async function findTokenModels(
  deps: Deps,
  ask: FalAsk & { app: string; opens: SocketReach },
): Promise<[ModelDetail, ...ModelDetail[]]> {
  const { app, opens } = ask;
  const isReached = ({ modelId }: ModelDetail): boolean =>
    opens === "app" ? aliasOf(modelId) === app : endpointOf(modelId) === endpointOf(app);
  let isTooWide = false;
  for (const connection of await findConnections(deps, ask)) {
    const pattern = opens === "app" ? `%/${app}%` : `${endpointOf(app)}%`;
    const named = await listModelsNamed(deps.store.read, connection.id, pattern);
    const reached = named.filter(isReached);
    const open = await Promise.all(reached.map((model) => isOpen(deps, ask, connection, model)));
    const first = reached.find((model, i) => open[i] && model.tasks.includes("live"));
    const mayAll =
      open.every(Boolean) &&
      (opens === "endpoint" || (await isUnlistedOpen(deps, ask, connection)));
    if (first && mayAll) return [first, ...reached.filter((model) => model !== first)];
    isTooWide ||= first !== undefined;
  }
  throw isTooWide
    ? new Problem("forbidden", { message: sentences.fal.tokenTooWide({ app }) })
    : new Problem("not_found", { message: sentences.fal.tokenNoModel({ app }) });
}

/** Whether the caller may use models of the connection that have no rule of their own. */
const isUnlistedOpen = async (
  { store }: Deps,
  ask: FalAsk,
  connection: SealedConnection,
): Promise<boolean> => ask.only === null && (await isModelOpen(store.read, ask, connection, ""));

async function findConnections(
  { store }: Deps,
  { userId, projectId, connection: wanted }: FalAsk,
): Promise<SealedConnection[]> {
  const connections = (await listUsableConnections(store.read, userId, projectId)).filter(
    ({ kind, status, slug }) =>
      kind === falKind && status !== "disabled" && (wanted === undefined || slug === wanted),
  );
  if (connections.length === 0)
    throw new Problem("not_found", {
      message: wanted
        ? sentences.fal.noConnectionNamed({ connection: wanted })
        : sentences.fal.noConnection,
    });
  return connections;
}

const isOpen = async (
  { store }: Deps,
  ask: FalAsk,
  connection: SealedConnection,
  model: ModelDetail,
): Promise<boolean> =>
  isAmong(ask.only, model) && (await isModelOpen(store.read, ask, connection, model.modelId));
