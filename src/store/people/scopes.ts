import type { TargetKind } from "#contract/route.ts";
import type { Scope } from "#domain/people/policy.ts";
import { prepared } from "../database/prepared.ts";
import type { Reader } from "../database/store.ts";

/**
 * Reads a run or a conversation with the person's role in its project, as every request for one
 * does first.
 */
const authoredRow = (table: "run" | "conversation") =>
  prepared((db, { id, userId }: { id: string; userId: string }) =>
    db
      .selectFrom(table)
      .leftJoin("project_member", (join) =>
        join
          .onRef("project_member.project_id", "=", `${table}.project_id`)
          .on("project_member.user_id", "=", userId),
      )
      .select([
        `${table}.project_id`,
        `${table}.user_id`,
        `${table}.visibility`,
        "project_member.role",
      ])
      .where(`${table}.id`, "=", id),
  );
const authoredRows = { run: authoredRow("run"), conversation: authoredRow("conversation") };
const memberRow = prepared((db, { projectId, userId }: { projectId: string; userId: string }) =>
  db
    .selectFrom("project_member")
    .select("role")
    .where("project_id", "=", projectId)
    .where("user_id", "=", userId),
);

type Found = { projectId: string; authorId?: string; visibility?: "author" | "project" };

/** How to look up each target kind's project, author and visibility. */
const finders: Record<
  Exclude<TargetKind, "connection" | "person" | "webhook" | "run" | "conversation">,
  (db: Reader, id: string) => Promise<Found | undefined>
> = {
  project: async (_, id) => ({ projectId: id }),
  batch: async (db, id) => {
    const row = await db
      .selectFrom("batch")
      .select(["project_id", "created_by"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row && { projectId: row.project_id, authorId: row.created_by };
  },
  asset: async (db, id) => {
    const row = await db
      .selectFrom("asset")
      .select(["project_id", "created_by", "visibility"])
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    return (
      row && { projectId: row.project_id, authorId: row.created_by, visibility: row.visibility }
    );
  },
  tag: async (db, id) => {
    const row = await db
      .selectFrom("tag")
      .select("project_id")
      .where("id", "=", id)
      .executeTakeFirst();
    return row && { projectId: row.project_id };
  },
  collection: async (db, id) => {
    const row = await db
      .selectFrom("collection")
      .select("project_id")
      .where("id", "=", id)
      .executeTakeFirst();
    return row && { projectId: row.project_id };
  },
  comparison: async (db, id) => {
    const row = await db
      .selectFrom("comparison")
      .select(["project_id", "user_id", "visibility"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row && { projectId: row.project_id, authorId: row.user_id, visibility: row.visibility };
  },
  message: async (db, id) => {
    const row = await db
      .selectFrom("message")
      .innerJoin("conversation", "conversation.id", "message.conversation_id")
      .select(["conversation.project_id", "conversation.user_id", "conversation.visibility"])
      .where("message.id", "=", id)
      .where("message.trashed_at", "is", null)
      .executeTakeFirst();
    return row && { projectId: row.project_id, authorId: row.user_id, visibility: row.visibility };
  },
  folder: async (db, id) => {
    const row = await db
      .selectFrom("folder")
      .select(["project_id", "user_id"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row && { projectId: row.project_id, authorId: row.user_id, visibility: "author" };
  },
  upload: async (db, id) => {
    const row = await db
      .selectFrom("upload")
      .select(["project_id", "user_id"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row && { projectId: row.project_id, authorId: row.user_id };
  },
};

/**
 * Returns the facts about a target that the policy needs for this person. An unknown id gives an
 * empty scope, which hides it.
 */
export async function findScope(
  db: Reader,
  kind: TargetKind,
  id: string,
  userId: string,
): Promise<Scope> {
  if (kind === "person") return {};
  if (kind === "connection") return findConnectionScope(db, id, userId);
  if (kind === "webhook") return findWebhookScope(db, id, userId);
  if (kind === "run" || kind === "conversation") return findAuthoredScope(db, kind, id, userId);
  const found = await finders[kind](db, id);
  if (!found) return {};
  return { ...found, projectRole: await roleIn(db, found.projectId, userId) };
}

async function findAuthoredScope(
  db: Reader,
  kind: "run" | "conversation",
  id: string,
  userId: string,
): Promise<Scope> {
  const [row] = await authoredRows[kind](db, { id, userId });
  if (!row) return {};
  const { project_id: projectId, user_id: authorId, visibility } = row;
  return { projectId, authorId, visibility, projectRole: row.role ?? undefined };
}

async function findConnectionScope(db: Reader, id: string, userId: string): Promise<Scope> {
  const row = await db
    .selectFrom("connection")
    .select(["scope", "scope_id"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return {};
  const connection = { scope: row.scope, scopeId: row.scope_id };
  if (row.scope !== "project" || !row.scope_id) return { connection };
  return {
    connection,
    projectId: row.scope_id,
    projectRole: await roleIn(db, row.scope_id, userId),
  };
}

async function findWebhookScope(db: Reader, id: string, userId: string): Promise<Scope> {
  const row = await db
    .selectFrom("webhook_endpoint")
    .select("project_id")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return {};
  if (row.project_id === null) return { isOfInstance: true };
  return { projectId: row.project_id, projectRole: await roleIn(db, row.project_id, userId) };
}

async function roleIn(
  db: Reader,
  projectId: string,
  userId: string,
): Promise<Scope["projectRole"]> {
  return (await memberRow(db, { projectId, userId }))[0]?.role;
}
