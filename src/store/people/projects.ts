import { sql } from "kysely";
import type { Project, ProjectMember, ProjectRole } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { countFound, fromCursor, page } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { ProjectRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { hasPart } from "./name-search.ts";

const toProject = (row: ProjectRow & { role: ProjectRole }): Project => ({
  id: row.id,
  name: row.name,
  description: row.description,
  instructions: row.instructions,
  ownerId: row.owner_id,
  defaults: fromJson(row.defaults),
  archivedAt: row.archived_at,
  createdAt: row.created_at,
  role: row.role,
});

export async function insertProject(
  tx: Tx,
  project: { id: string; name: string; description: string; ownerId: string; at: number },
): Promise<Project> {
  const row: ProjectRow = {
    id: project.id,
    name: project.name,
    description: project.description,
    instructions: "",
    owner_id: project.ownerId,
    defaults: "{}",
    seq: 0,
    archived_at: null,
    created_at: project.at,
  };
  await tx.insertInto("project").values(row).execute();
  await tx
    .insertInto("project_member")
    .values({
      project_id: project.id,
      user_id: project.ownerId,
      role: "manager",
      created_at: project.at,
      name: nameOf(project.ownerId),
    })
    .execute();
  return toProject({ ...row, role: "manager" });
}

/** Lists a person's projects with their role in each. */
export async function listProjects(db: Reader, userId: string): Promise<Project[]> {
  const rows = await db
    .selectFrom("project_member")
    .innerJoin("project", "project.id", "project_member.project_id")
    .selectAll("project")
    .select("project_member.role")
    .where("project_member.user_id", "=", userId)
    .orderBy("project.created_at")
    .orderBy("project.id")
    .execute();
  return rows.map(toProject);
}

/** Counts the projects a person is a member of. */
export async function countProjects(db: Reader, userId: string): Promise<number> {
  const { n } = await db
    .selectFrom("project_member")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** @throws Problem conflict when the person is in the maximum number of projects */
export async function requireRoomForProject(db: Reader, userId: string): Promise<void> {
  const most = limits.projectsPerPerson;
  if ((await countProjects(db, userId)) >= most)
    throw new Problem("conflict", { message: sentences.projects.tooMany({ most }) });
}

/** Returns a project that the person manages and that isn't archived; undefined for any other. */
export async function getManagedProject(
  db: Reader,
  id: string,
  userId: string,
): Promise<Project | undefined> {
  const project = await getProject(db, id, userId);
  return project?.role === "manager" && project.archivedAt === null ? project : undefined;
}

export async function getProject(
  db: Reader,
  id: string,
  userId: string,
): Promise<Project | undefined> {
  const row = await db
    .selectFrom("project_member")
    .innerJoin("project", "project.id", "project_member.project_id")
    .selectAll("project")
    .select("project_member.role")
    .where("project.id", "=", id)
    .where("project_member.user_id", "=", userId)
    .executeTakeFirst();
  return row && toProject(row);
}

export const projectExists = async (db: Reader, id: string): Promise<boolean> =>
  (await db.selectFrom("project").select("id").where("id", "=", id).executeTakeFirst()) !==
  undefined;

/**
 * Returns a page of all projects by name, with their owners' names, and the total count: an admin
 * sets budgets for projects without seeing into them.
 */
export async function listAllProjects(
  db: Reader,
  of: { q?: string; ids?: readonly string[]; cursor?: string; limit: number },
): Promise<{
  projects: { id: string; name: string; ownerName: string }[];
  next: string | null;
  count: number;
}> {
  const { q, ids, cursor, limit } = of;
  const isNamed = hasPart(db, q, { names: ["project.name"] });
  const isOwned = hasPart(db, q, { names: ["user.name"] });
  let found = db.selectFrom("project").where("project.id", "not in", unseenProjects(db));
  if (ids) found = found.where(isOneOf(db, "project.id", toJson(ids)));
  if (isNamed && isOwned)
    found = found.where((e) =>
      e.or([
        isNamed,
        e("project.owner_id", "in", e.selectFrom("user").select("user.id").where(isOwned)),
      ]),
    );
  let query = found.select((e) => [
    "project.id",
    "project.name",
    e
      .selectFrom("user")
      .select("user.name")
      .whereRef("user.id", "=", "project.owner_id")
      .as("ownerName"),
  ]);
  if (cursor) {
    const [name, id] = fromCursor(cursor, ["string", "string"]);
    query = query.where(sql<boolean>`(project.name, project.id) > (${name}, ${id})`);
  }
  const rows = await query
    .orderBy("project.name")
    .orderBy("project.id")
    .limit(limit + 1)
    .execute();
  const shown = page(rows, limit, (row) => [row.name, row.id]);
  const count = await countFound(shown, cursor, () =>
    found.select((e) => e.fn.countAll<number>().as("n")).executeTakeFirstOrThrow(),
  );
  return {
    projects: shown.rows.map((row) => ({ ...row, ownerName: row.ownerName ?? "" })),
    next: shown.next,
    count,
  };
}

/** Whether every id belongs to a fully imported project. */
export async function areProjects(db: Reader, ids: readonly string[]): Promise<boolean> {
  const known = await db
    .selectFrom("project")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where(isOneOf(db, "id", toJson(ids)))
    .where("id", "not in", unseenProjects(db))
    .executeTakeFirstOrThrow();
  return Number(known.n) === new Set(ids).size;
}

const instructionsOf = prepared((db, { projectId }: { projectId: string }) =>
  db.selectFrom("project").select("instructions").where("id", "=", projectId),
);

/**
 * Returns the instructions at the start of every conversation in the project; "" when there are
 * none.
 */
export async function getInstructions(db: Reader, projectId: string): Promise<string> {
  const [project] = await instructionsOf(db, { projectId });
  return project?.instructions ?? "";
}

export async function updateProject(
  tx: Tx,
  id: string,
  change: Partial<Pick<ProjectRow, "name" | "description" | "instructions" | "archived_at">>,
): Promise<void> {
  if (Object.keys(change).length > 0)
    await tx.updateTable("project").set(change).where("id", "=", id).execute();
}

/** Returns a page of a project's members by name, and their total count. */
export async function listMembers(
  db: Reader,
  projectId: string,
  { q, cursor, limit }: { q?: string; cursor?: string; limit: number },
): Promise<{ members: ProjectMember[]; next: string | null; count: number }> {
  const isSought = hasPart(db, q, { names: ["sought.name"], addresses: ["sought.email"] });
  let found = db.selectFrom("project_member as member").where("member.project_id", "=", projectId);
  if (isSought)
    found = found.where(
      "member.user_id",
      "in",
      db.selectFrom("user as sought").select("sought.id").where(isSought),
    );
  let query = found
    .innerJoin("user", "user.id", "member.user_id")
    .select(["member.project_id", "member.user_id", "member.role", "member.created_at"])
    .select(["member.name as place", "user.name", "user.email"]);
  if (cursor) {
    const [name, id] = fromCursor(cursor, ["string", "string"]);
    query = query.where(sql<boolean>`(member.name, member.user_id) > (${name}, ${id})`);
  }
  const rows = await query
    .orderBy("member.name")
    .orderBy("member.user_id")
    .limit(limit + 1)
    .execute();
  const shown = page(rows, limit, (row) => [row.place, row.user_id]);
  const count = await countFound(shown, cursor, () =>
    found.select((e) => e.fn.countAll<number>().as("n")).executeTakeFirstOrThrow(),
  );
  const members = shown.rows.map((row) => ({
    projectId: row.project_id,
    userId: row.user_id,
    name: row.name,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
  }));
  return { members, next: shown.next, count };
}

export async function listMemberIds(db: Reader, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("project_member")
    .select("user_id")
    .where("project_id", "=", projectId)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Returns the name of the member with this address; undefined when there is none. */
export async function findMemberName(
  db: Reader,
  projectId: string,
  email: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("user")
    .innerJoin("project_member", "project_member.user_id", "user.id")
    .select("user.name")
    .where("user.email", "=", email)
    .where("project_member.project_id", "=", projectId)
    .executeTakeFirst();
  return row?.name;
}

/**
 * A membership copies its person's name only to sort the list; the displayed name comes from the
 * person.
 */
export const nameOf = (userId: string) =>
  sql<string>`coalesce((select name from "user" where id = ${userId}), '')`;

export async function insertMember(
  tx: Tx,
  member: { projectId: string; userId: string; role: ProjectRole; at: number },
): Promise<boolean> {
  const result = await tx
    .insertInto("project_member")
    .values({
      project_id: member.projectId,
      user_id: member.userId,
      role: member.role,
      created_at: member.at,
      name: nameOf(member.userId),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const lockOwner = async (tx: Tx, projectId: string): Promise<string | undefined> =>
  (
    await tx
      .selectFrom("project")
      .select("owner_id")
      .where("id", "=", projectId)
      .forNoKeyUpdate()
      .executeTakeFirst()
  )?.owner_id;

/**
 * Sets or ends a membership.
 * @returns false for the project's owner, who always stays a manager, so that a project never lacks
 *   one
 */
export async function changeMember(
  tx: Tx,
  projectId: string,
  userId: string,
  role: ProjectRole | null,
): Promise<boolean> {
  if (role !== "manager" && (await lockOwner(tx, projectId)) === userId) return false;
  const where = { project_id: projectId, user_id: userId };
  if (role === null)
    await tx
      .deleteFrom("project_member")
      .where("project_id", "=", where.project_id)
      .where("user_id", "=", where.user_id)
      .execute();
  else
    await tx
      .updateTable("project_member")
      .set({ role })
      .where("project_id", "=", where.project_id)
      .where("user_id", "=", where.user_id)
      .execute();
  return true;
}

/**
 * Transfers a project to one of its members, who becomes a manager.
 * @returns false when `fromUserId` isn't the owner or `toUserId` isn't a member
 */
export async function handOverProject(
  tx: Tx,
  projectId: string,
  fromUserId: string,
  toUserId: string,
): Promise<boolean> {
  if ((await lockOwner(tx, projectId)) !== fromUserId) return false;
  const member = await tx
    .updateTable("project_member")
    .set({ role: "manager" })
    .where("project_id", "=", projectId)
    .where("user_id", "=", toUserId)
    .executeTakeFirst();
  if (member.numUpdatedRows === 0n) return false;
  await tx.updateTable("project").set({ owner_id: toUserId }).where("id", "=", projectId).execute();
  return true;
}

/** Transfers all projects of one person to another, who becomes a manager of each. */
export async function handOverProjects(
  tx: Tx,
  fromUserId: string,
  toUserId: string,
  at: number,
): Promise<number> {
  const owned = await tx
    .updateTable("project")
    .set({ owner_id: toUserId })
    .where("owner_id", "=", fromUserId)
    .where("id", "not in", unseenProjects(tx))
    .returning("id")
    .execute();
  for (const { id } of owned) {
    await tx
      .insertInto("project_member")
      .values({
        project_id: id,
        user_id: toUserId,
        role: "manager",
        created_at: at,
        name: nameOf(toUserId),
      })
      .onConflict((conflict) =>
        conflict.columns(["project_id", "user_id"]).doUpdateSet({ role: "manager" }),
      )
      .execute();
    await tx
      .deleteFrom("project_member")
      .where("project_id", "=", id)
      .where("user_id", "=", fromUserId)
      .execute();
  }
  return owned.length;
}

export async function isMember(db: Reader, projectId: string, userId: string): Promise<boolean> {
  return (
    (await db
      .selectFrom("project_member")
      .select("role")
      .where("project_id", "=", projectId)
      .where("user_id", "=", userId)
      .executeTakeFirst()) !== undefined
  );
}

/** Projects that are incomplete or deleted, which lists that don't go by membership leave out. */
export const unseenProjects = (db: Reader) =>
  db
    .selectFrom("project_import")
    .select("project_import.project_id")
    .where("project_import.state", "!=", sql.lit("done"))
    .unionAll(db.selectFrom("deleted_project").select("deleted_project.project_id"));
