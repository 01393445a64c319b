import type { HookEvent } from "#contract/webhooks.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { WebhookEndpointRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { type Answerable, mayAnswer } from "./hooks.ts";

/**
 * A webhook and its owner. `secret` and `oldSecret` are encrypted. A null `projectId` means the
 * instance.
 */
export type WebhookEndpoint = {
  id: string;
  projectId: string | null;
  url: string;
  events: HookEvent[];
  secret: string;
  oldSecret: string | null;
  oldSecretUntil: number | null;
  createdAt: number;
  failingSince: number | null;
  pausedAt: number | null;
  pausedWhy: string | null;
  /** An admin entered this exact URL and is still its owner, so it may be on a private network. */
  mayBePrivate: boolean;
  /**
   * An admin entered it, regardless of their current role: responses may come from a private
   * network.
   */
  isNamedByAdmin: boolean;
  maker: { id: string; name: string };
  /** The owner is active and still manages the project or the instance. */
  isAnsweredFor: boolean;
};
export type EndpointRow = WebhookEndpointRow & Answerable & { makerName: string };
export const toEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  projectId: row.project_id,
  url: row.url,
  events: fromJson(row.events),
  secret: row.secret,
  oldSecret: row.old_secret,
  oldSecretUntil: row.old_secret_until,
  createdAt: row.created_at,
  failingSince: row.failing_since,
  pausedAt: row.disabled_at,
  pausedWhy: row.disabled_why,
  mayBePrivate: row.private_allowed === 1 && row.role !== "member",
  isNamedByAdmin: row.private_allowed === 1,
  maker: { id: row.created_by, name: row.makerName },
  isAnsweredFor: mayAnswer(row, row.project_id),
});

export const selectEndpoints = (db: Reader) =>
  db
    .selectFrom("webhook_endpoint")
    .innerJoin("user", "user.id", "webhook_endpoint.created_by")
    .leftJoin("project_member", (join) =>
      join
        .onRef("project_member.project_id", "=", "webhook_endpoint.project_id")
        .onRef("project_member.user_id", "=", "user.id"),
    )
    .selectAll("webhook_endpoint")
    .select([
      "user.name as makerName",
      "user.status",
      "user.role",
      "project_member.role as projectRole",
    ])
    .orderBy("webhook_endpoint.id");

/** Lists the webhooks of a project, or for null those of the instance. */
export async function listWebhookEndpoints(
  db: Reader,
  projectId: string | null,
): Promise<WebhookEndpoint[]> {
  const rows = selectEndpoints(db).where(
    "webhook_endpoint.project_id",
    projectId === null ? "is" : "=",
    projectId,
  );
  return (await rows.execute()).map(toEndpoint);
}

/** Lists a person's paused webhooks, except those that they can no longer manage. */
export async function listPausedWebhooks(db: Reader, userId: string): Promise<WebhookEndpoint[]> {
  const rows = await selectEndpoints(db)
    .where("webhook_endpoint.created_by", "=", userId)
    .where("webhook_endpoint.disabled_at", "is not", null)
    .execute();
  return rows.map(toEndpoint).filter(({ isAnsweredFor }) => isAnsweredFor);
}

export async function getWebhookEndpoint(
  db: Reader,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await selectEndpoints(db).where("webhook_endpoint.id", "=", id).executeTakeFirst();
  return row && toEndpoint(row);
}

export type NewEndpoint = {
  id: string;
  projectId: string | null;
  url: string;
  events: readonly HookEvent[];
  sealedSecret: string;
  privateAllowed: boolean;
  createdBy: string;
  at: number;
};
export async function insertWebhookEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<void> {
  await tx
    .insertInto("webhook_endpoint")
    .values({
      id: endpoint.id,
      project_id: endpoint.projectId,
      url: endpoint.url,
      secret: endpoint.sealedSecret,
      events: toJson(endpoint.events),
      created_by: endpoint.createdBy,
      created_at: endpoint.at,
      disabled_at: null,
      disabled_why: null,
      private_allowed: endpoint.privateAllowed ? 1 : 0,
      old_secret: null,
      old_secret_until: null,
      failing_since: null,
    })
    .execute();
}

/**
 * The person who changes a webhook becomes its owner. A URL that no admin entered stays limited to
 * public addresses.
 */
export async function updateWebhookEndpoint(
  tx: Tx,
  id: string,
  change: {
    named?: { url: string; privateAllowed: boolean };
    events?: readonly HookEvent[];
    resume?: true;
    by: string;
  },
): Promise<boolean> {
  const result = await tx
    .updateTable("webhook_endpoint")
    .set({
      created_by: change.by,
      ...(change.named && {
        url: change.named.url,
        private_allowed: change.named.privateAllowed ? 1 : 0,
        failing_since: null,
      }),
      ...(change.events && { events: toJson(change.events) }),
      ...(change.resume && { disabled_at: null, disabled_why: null, failing_since: null }),
    })
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The previous secret signs together with the new one for a while. */
export async function replaceSecret(
  tx: Tx,
  id: string,
  sealed: string,
  oldUntil: number,
): Promise<boolean> {
  const result = await tx
    .updateTable("webhook_endpoint")
    .set((e) => ({ old_secret: e.ref("secret"), old_secret_until: oldUntil, secret: sealed }))
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function removeWebhookEndpoint(tx: Tx, id: string): Promise<boolean> {
  await tx.selectFrom("webhook_endpoint").select("id").where("id", "=", id).forUpdate().execute();
  return (
    (await tx.deleteFrom("webhook_endpoint").where("id", "=", id).executeTakeFirst())
      .numDeletedRows > 0n
  );
}

/** Records since when deliveries fail, or null once one arrives. */
export async function noteFailing(tx: Tx, id: string, since: number | null): Promise<void> {
  await tx
    .updateTable("webhook_endpoint")
    .set({ failing_since: since })
    .where("id", "=", id)
    .where("failing_since", since === null ? "is not" : "is", null)
    .execute();
}

export async function pauseEndpoint(tx: Tx, id: string, why: string, at: number): Promise<void> {
  await tx
    .updateTable("webhook_endpoint")
    .set({ disabled_at: at, disabled_why: why })
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .execute();
}
