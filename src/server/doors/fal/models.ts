import type { ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { listUsableConnections } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import type { ServerDeps } from "../../deps.ts";

export const falKind = "fal";
const streamPath = "/stream";

/**
 * The model that fal's client names, on the fal connection that is named, or on the first that has it and where it is open to who
 * asks. One that is closed to them is not told apart from one that is not there.
 * @throws Problem not_found
 */
export async function findFalModel(
  deps: Pick<ServerDeps, "store">,
  ask: { userId: string; projectId: string; modelId: string; connection: string | undefined },
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
        ? `There is no fal connection “${ask.connection}” for you here.`
        : "There is no fal connection for you here.",
    });
  // A stream is asked for at `…/stream` of a model that may have no entry of its own there.
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
        (await isModelOpen(deps.store.read, ask, connection, name))
      )
        return model;
    }
  }
  throw new Problem("not_found", {
    message: `“${ask.modelId}” is not among the models of the fal connection here.`,
  });
}
