import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isAmong } from "#domain/people/policy.ts";
import { listUsableConnections } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import type { ServerDeps } from "../../deps.ts";

export const falKind = "fal";
const streamPath = "/stream";

/**
 * Finds the model that fal's client requests: on the named fal connection, or on the first that has
 * it and where it is open to the caller. A model without access looks like one that doesn't exist.
 * @throws Problem not_found
 */
export async function findFalModel(
  deps: Pick<ServerDeps, "store">,
  ask: {
    userId: string;
    projectId: string;
    modelId: string;
    connection: string | undefined;
    /** The models that the API key is restricted to. */
    only: readonly ModelRef[] | null;
  },
): Promise<ModelDetail> {
  const connections = (
    await listUsableConnections(deps.store.read, ask.userId, ask.projectId)
  ).filter(
    ({ kind, status, slug }) =>
      kind === falKind &&
      status !== "disabled" &&
      (ask.connection === undefined || slug === ask.connection),
  );
  if (connections.length === 0)
    throw new Problem("not_found", {
      message: ask.connection
        ? sentences.fal.noConnectionNamed({ connection: ask.connection })
        : sentences.fal.noConnection,
    });
  // A stream's URL ends in `/stream`, and such a model may have no entry of its own.
  const names = [
    ask.modelId,
    ...(ask.modelId.endsWith(streamPath) ? [ask.modelId.slice(0, -streamPath.length)] : []),
  ];
  for (const name of names) {
    for (const connection of connections) {
      const model = await getModel(deps.store.read, connection.id, name);
      if (
        model &&
        model.status !== "gone" &&
        isAmong(ask.only, model) &&
        (await isModelOpen(deps.store.read, ask, connection, name))
      )
        return model;
    }
  }
  throw new Problem("not_found", {
    message: sentences.fal.noModel({ model: ask.modelId }),
  });
}
