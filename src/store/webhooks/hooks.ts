import type { Asset, Run, RunState } from "#contract/entities.ts";
import type { NewRunEvent } from "#contract/events.ts";
import type { HookData } from "#contract/webhooks.schemas.ts";
import type { HookEvent } from "#contract/webhooks.ts";
import type { Ids } from "#domain/runs/ids.ts";
import { toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { ProjectMemberRow, UserRow, WebhookOutRow } from "../database/schema.ts";
import type { Tx } from "../database/store.ts";

/** An event for webhooks. A null `onlyFor` means everyone in the project. */
export type Hook = {
  [E in HookEvent]: {
    event: E;
    /** Null: the event belongs to no single project. */
    projectId: string | null;
    onlyFor: string | null;
    /** Also sent to the instance's own webhooks. */
    toInstance?: boolean;
    data: HookData<E>;
    at: number;
  };
}[HookEvent];

const runEvents = {
  succeeded: "run.succeeded",
  failed: "run.failed",
  cancelled: "run.cancelled",
  unconfirmed: "run.unconfirmed",
} as const satisfies Partial<Record<RunState, HookEvent>>;

/**
 * Returns the webhook event of a run that has ended or is unconfirmed.
 * @param events the events of its last step, which list its files
 */
export function hookOfRun(
  run: Run & { apiKeyId: string | null },
  events: readonly NewRunEvent[],
  at: number,
): Hook | undefined {
  if (!(run.state in runEvents)) return undefined;
  const { id, projectId, userId, apiKeyId, connectionId, modelId, task, state } = run;
  const { batchId, messageId, retryOf } = run;
  const { costMicros, costBasis, error, createdAt, startedAt, finishedAt } = run;
  const assetIds = events.flatMap((event) =>
    event.type === "output-stored" ? [event.payload.assetId] : [],
  );
  return {
    event: runEvents[state as keyof typeof runEvents],
    projectId,
    onlyFor: run.visibility === "author" ? userId : null,
    data: {
      run: {
        ...{ id, projectId, userId, apiKeyId, connectionId, modelId, task, state },
        ...{ batchId, messageId, retryOf, costMicros, costBasis, error, assetIds },
        ...{ createdAt, startedAt, finishedAt },
      },
    },
    at,
  };
}

export function hookOfKept(
  { id, projectId, runId, createdBy, kind, mime, bytes, createdAt, visibility }: Asset,
  at: number,
): Hook {
  return {
    event: "asset.kept",
    projectId,
    onlyFor: visibility === "author" ? createdBy : null,
    data: { asset: { id, projectId, runId, createdBy, kind, mime, bytes, createdAt } },
    at,
  };
}

/** A webhook's owner, with the rights that decide which events the webhook may receive. */
export type Answerable = {
  status: UserRow["status"];
  role: UserRow["role"];
  projectRole: ProjectMemberRow["role"] | null;
};
/**
 * Whether the owner may still receive events: a manager for a project's webhook, an admin for the
 * instance's.
 */
export const mayAnswer = (who: Answerable, projectId: string | null): boolean =>
  who.status === "active" &&
  (projectId === null ? who.role !== "member" : who.projectRole === "manager");

const ofProject = prepared((db, { projectId }: { projectId: string }) =>
  listening(db).where("webhook_endpoint.project_id", "=", projectId),
);
const ofInstance = prepared((db) => listening(db).where("webhook_endpoint.project_id", "is", null));
const listening = (db: Tx) =>
  db
    .selectFrom("webhook_endpoint")
    .innerJoin("user", "user.id", "webhook_endpoint.created_by")
    .leftJoin("project_member", (join) =>
      join
        .onRef("project_member.project_id", "=", "webhook_endpoint.project_id")
        .onRef("project_member.user_id", "=", "user.id"),
    )
    .select([
      "webhook_endpoint.id",
      "webhook_endpoint.events",
      "user.id as makerId",
      "user.status",
      "user.role",
    ])
    .select("project_member.role as projectRole")
    .where("webhook_endpoint.disabled_at", "is", null)
    .orderBy("webhook_endpoint.id");
const keptRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("webhook_endpoint").select("id").where("id", "=", id).forKeyShare(),
);
const insertRow = prepared((db, row: WebhookOutRow) => db.insertInto("webhook_out").values(row));

/**
 * Inserts a delivery due for its first try. `onlyFor` is the one person who may see it; null for
 * all managers of the webhook.
 */
export async function insertDelivery(
  tx: Tx,
  delivery: {
    id: string;
    endpointId: string;
    event: string;
    data: object;
    onlyFor: string | null;
    at: number;
  },
): Promise<void> {
  const { id, endpointId, event, data, onlyFor, at } = delivery;
  await insertRow(tx, {
    id,
    endpoint_id: endpointId,
    event,
    payload: toJson({ type: event, timestamp: new Date(at).toISOString(), data }),
    attempts: 0,
    next_at: at,
    status: "waiting",
    last_error: null,
    created_at: at,
    tried_at: null,
    took_ms: null,
    http_status: null,
    answer: null,
    only_for: onlyFor,
  });
}

/**
 * Inserts one delivery per subscribed webhook in the transaction of the event, so that neither
 * exists without the other. A webhook receives only what its owner may see.
 * @returns the number of deliveries
 */
export async function writeHooks(tx: Tx, ids: Ids, hooks: readonly Hook[]): Promise<number> {
  let written = 0;
  for (const [projectId, projectHooks] of Map.groupBy(hooks, (hook) => hook.projectId)) {
    if (projectId !== null)
      written += await tell(
        tx,
        ids,
        { projectId, rows: await ofProject(tx, { projectId }) },
        projectHooks,
      );
    const toInstance = projectHooks.filter((hook) => hook.toInstance);
    if (toInstance.length > 0)
      written += await tell(
        tx,
        ids,
        { projectId: null, rows: await ofInstance(tx, {}) },
        toInstance,
      );
  }
  return written;
}

type Listening = {
  projectId: string | null;
  rows: ({ id: string; events: string; makerId: string } & Answerable)[];
};

async function tell(
  tx: Tx,
  ids: Ids,
  { projectId, rows }: Listening,
  hooks: readonly Hook[],
): Promise<number> {
  let written = 0;
  for (const row of rows) {
    const wanted = hooks.filter(
      ({ event, onlyFor }) =>
        row.events.includes(`"${event}"`) && (onlyFor === null || onlyFor === row.makerId),
    );
    if (wanted.length === 0 || !mayAnswer(row, projectId)) continue;
    // Removing a webhook must not remove its events for others.
    if ((await keptRow(tx, { id: row.id })).length === 0) continue;
    for (const hook of wanted) await insertDelivery(tx, { ...hook, id: ids(), endpointId: row.id });
    written += wanted.length;
  }
  return written;
}
