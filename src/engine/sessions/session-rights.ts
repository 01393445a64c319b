import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { decide } from "#domain/people/policy.ts";
import type { Reader } from "#store/database/store.ts";
import { getUsableConnection } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import { getUser } from "#store/people/people.ts";
import { findScope } from "#store/people/scopes.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";

/** Notifies the sessions of a changed or removed connection, which check their rights again. */
export const connectionTopic = (connectionId: string): string => `connection:${connectionId}`;

/** Why a session's person may no longer make anything in its project; undefined while they may. */
export async function whyNotInProject(db: Reader, run: OwnedRun): Promise<Problem | undefined> {
  const user = await getUser(db, run.userId);
  if (user?.status !== "active")
    return new Problem("not_signed_in", { message: sentences.sessions.accountInactive });
  const scope = await findScope(db, "project", run.projectId, run.userId);
  if (
    decide({ userId: user.id, role: user.role, status: user.status }, "edit", scope) !== "allowed"
  )
    return new Problem("forbidden", {
      message: sentences.sessions.notAllowed,
    });
  return undefined;
}

/** Why the person of a session may no longer continue it; undefined while they may. */
export async function whyNoMore(deps: EngineDeps, run: OwnedRun): Promise<Problem | undefined> {
  const barred = await whyNotInProject(deps.store.db, run);
  if (barred) return barred;
  const connection = await getUsableConnection(
    deps.store.db,
    run.connectionId,
    run.userId,
    run.projectId,
  );
  const model =
    connection &&
    connection.status !== "disabled" &&
    (await getModel(deps.store.db, run.connectionId, run.modelId));
  if (!model || model.status === "gone")
    return new Problem("model_gone", {
      connectionId: run.connectionId,
      message: sentences.connections.disabled,
    });
  if (connection && !(await isModelOpen(deps.store.db, run, connection, model.modelId)))
    return new Problem("model_not_allowed", { connectionId: run.connectionId });
  return undefined;
}
