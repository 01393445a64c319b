import { sql } from "kysely";
import { fromCursor, page } from "../database/cursor.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { Reader } from "../database/store.ts";
import { hasPart } from "./name-search.ts";

export type AuditEvent = {
  id: string;
  at: number;
  /** Null for actions of Bottega itself. */
  actor: { id: string; name: string; email: string } | null;
  action: string;
  /** `name` is empty when the target is gone or has no name that admins may read. */
  target: { kind: string; id: string; name: string };
  ip: string | null;
  detail: Record<string, unknown>;
};
/** `q` is part of the actor's name or address. `fromMs` is included, `toMs` isn't. */
export type AuditFilter = { q?: string; action?: string; fromMs?: number; toMs?: number };

/**
 * Returns a page of the audit log, newest first. The names of personal connections are shown only
 * to their owners.
 */
export async function listAuditEvents(
  { read: db }: { read: Reader },
  { q, action, fromMs, toMs, cursor, limit }: AuditFilter & { cursor?: string; limit: number },
): Promise<{ events: AuditEvent[]; next: string | null }> {
  let query = db
    .selectFrom("audit_event")
    .leftJoin("user", "user.id", "audit_event.actor_id")
    .selectAll("audit_event")
    .select(["user.name as actor_name", "user.email as actor_email"])
    .select((e) => [
      e
        .case()
        .when("target_kind", "=", "person")
        .then(nameOf("user"))
        .when("target_kind", "=", "project")
        .then(nameOf("project"))
        .when("target_kind", "=", "api_key")
        .then(nameOf("api_key"))
        .when("target_kind", "=", "connection")
        .then(
          sql<
            string | null
          >`(select name from connection where connection.id = audit_event.target_id and connection.scope = 'instance')`,
        )
        .when("target_kind", "=", "alias")
        .then(sql<string | null>`audit_event.target_id`)
        .end()
        .as("target_name"),
    ]);
  if (action !== undefined) query = query.where("action", "=", action);
  if (fromMs !== undefined) query = query.where("at", ">=", fromMs);
  if (toMs !== undefined) query = query.where("at", "<", toMs);
  const isSought = hasPart(db, q, { names: ["sought.name"], addresses: ["sought.email"] });
  if (isSought)
    query = query.where(
      "actor_id",
      "in",
      db.selectFrom("user as sought").select("sought.id").where(isSought),
    );
  if (cursor) {
    const [at, id] = fromCursor(cursor, ["number", "string"]);
    query = query.where(sql<boolean>`(audit_event.at, audit_event.id) < (${at}, ${id})`);
  }
  const rows = await query
    .orderBy("audit_event.at", "desc")
    .orderBy("audit_event.id", "desc")
    .limit(limit + 1)
    .execute();
  const shown = page(rows, limit, (row) => [Number(row.at), row.id]);
  return {
    events: shown.rows.map((row) => {
      const detail = fromJson<Record<string, unknown>>(row.detail);
      // An invited person has no account yet, only an address.
      const invited = row.action === "invite" && typeof detail.email === "string" && detail.email;
      return {
        id: row.id,
        at: Number(row.at),
        actor:
          row.actor_id === null
            ? null
            : { id: row.actor_id, name: row.actor_name ?? "", email: row.actor_email ?? "" },
        action: row.action,
        target: {
          kind: row.target_kind,
          id: row.target_id,
          name: row.target_name ?? (invited || ""),
        },
        ip: row.ip,
        detail,
      };
    }),
    next: shown.next,
  };
}

/**
 * Lists which changes to a version of the master key are recorded: its rotation, and the retirement
 * of the versions before it.
 */
export async function listKeyActions(db: Reader, version: number): Promise<string[]> {
  const rows = await db
    .selectFrom("audit_event")
    .select("action")
    .where("action", "in", ["rotate-master-key", "retire-master-key"])
    .where("detail", "=", toJson({ version }))
    .execute();
  return rows.map(({ action }) => action);
}

const nameOf = (table: "user" | "project" | "api_key") =>
  sql<
    string | null
  >`(select name from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = audit_event.target_id)`;
