import { sql } from "kysely";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { Reader } from "../database/store.ts";

/**
 * Lists running tool messages after `after`, oldest first, so that they are resumed if a server
 * dies between two steps.
 */
export async function listOpenToolMessages(
  db: Reader,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("message")
    .select("id")
    .where("role", "=", sql.lit("tool"))
    .where("state", "=", sql.lit("streaming"))
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

const openToolRowsOf = prepared((db, { ids }: { ids: string }) =>
  db
    .selectFrom("message")
    .select("id")
    .where("role", "=", sql.lit("tool"))
    .where("state", "=", sql.lit("streaming"))
    .where((e) => e.or([isOneOf(db, "id", ids), isOneOf(db, "parent_id", ids)]))
    .orderBy("id"),
);

/** Lists the open tool messages among these messages and their direct replies. */
export async function listOpenToolMessagesOf(
  db: Reader,
  messageIds: readonly string[],
): Promise<string[]> {
  const rows = await openToolRowsOf(db, { ids: toJson(messageIds) });
  return rows.map(({ id }) => id);
}
