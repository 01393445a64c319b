import { sql } from "kysely";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { openStates } from "#domain/runs/run-machine.ts";
import { fromCursor, page } from "../../database/cursor.ts";
import { fromJson, toJson } from "../../database/json.ts";
import { literals } from "../../database/literals.ts";
import type { DeletedProjectRow, ProjectMemberRow } from "../../database/schema.ts";
import type { Reader } from "../../database/store.ts";
import { countUnpricedIn } from "../../money/runs-without-price.ts";
import { nameOf } from "../../people/projects.ts";
import type { Unit } from "../../runs/unit.ts";
import { sumProjectBytes } from "../storage-limits.ts";
import { countOf } from "./count-of.ts";
import { eraseRuns } from "./erased-runs.ts";
import { removeContent, removed } from "./project-content.ts";

/** A member to restore with a project. */
export type KeptMember = Pick<ProjectMemberRow, "user_id" | "role" | "created_at">;

/** A range that contains every run. */
export const ever = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };

/**
 * Describes what deleting a project deletes, what the ledger keeps of it, and which runs must end
 * first.
 */
export async function describeProjectDeletion(db: Reader, projectId: string) {
  const project = await db
    .selectFrom("project")
    .select("name")
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (!project) throw new Problem("not_found");
  const spent = await db
    .selectFrom("usage_month")
    .select(sql<number>`coalesce(sum(micros), 0)`.as("micros"))
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  const count = (
    table:
      | "conversation"
      | "collection"
      | "comparison"
      | "word_list"
      | "webhook_endpoint"
      | "project_member"
      | "run",
  ): Promise<number> => countOf(db.selectFrom(table).where("project_id", "=", projectId));
  const scoped = (table: "connection" | "budget"): Promise<number> =>
    countOf(db.selectFrom(table).where("scope", "=", "project").where("scope_id", "=", projectId));
  const messages = db
    .selectFrom("message")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .where("conversation.project_id", "=", projectId);
  const files = db
    .selectFrom("asset")
    .where("project_id", "=", projectId)
    .where("deleted_at", "is", null);
  const keys = db
    .selectFrom("api_key")
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null);
  return {
    name: project.name,
    goes: {
      conversations: await count("conversation"),
      messages: await countOf(messages),
      files: await countOf(files),
      bytes: await sumProjectBytes(db, projectId),
      collections: await count("collection"),
      comparisons: await count("comparison"),
      wordLists: await count("word_list"),
      keys: await countOf(keys),
      webhooks: await count("webhook_endpoint"),
      connections: await scoped("connection"),
      budgets: await scoped("budget"),
      members: await count("project_member"),
    },
    stays: {
      runs: await count("run"),
      spentMicros: Number(spent.micros),
      unpricedRuns: await countUnpricedIn(db, { scope: "project", scopeId: projectId }, ever),
    },
    open: await describeOpen(db, { projectId }),
  };
}

type OpenRuns = { projectId: string } | { userId: string };

/** Uses only the index of open runs: a project may have a hundred thousand ended ones. */
const openRuns = (db: Reader, of: OpenRuns) => {
  const open = db.selectFrom("run").where("state", "in", literals(openStates));
  return "projectId" in of
    ? open.where("project_id", "=", of.projectId)
    : open.where("user_id", "=", of.userId);
};

/**
 * Lists the runs that must end before their project or person is deleted. Ordered like their index,
 * or SQLite would choose another.
 */
export const listOpen = (
  db: Reader,
  of: OpenRuns,
): Promise<{ id: string; state: string; heldMicros: number }[]> =>
  openRuns(db, of)
    .select(["id", "state", "held_micros as heldMicros"])
    .orderBy("id", "desc")
    .execute();

/** Counts the open runs, and sums the money they hold. */
export async function describeOpen(
  db: Reader,
  of: OpenRuns,
): Promise<{ runs: number; unconfirmed: number; heldMicros: number }> {
  const open = await listOpen(db, of);
  const unconfirmed = open.filter(({ state }) => state === "unconfirmed").length;
  const heldMicros = open.reduce((sum, run) => sum + Number(run.heldMicros), 0);
  return { runs: open.length - unconfirmed, unconfirmed, heldMicros };
}

/**
 * Call in the unit that deletes.
 * @throws Problem conflict while a run is open
 */
export async function requireSettled(db: Reader, of: OpenRuns): Promise<void> {
  const { runs, unconfirmed } = await describeOpen(db, of);
  if (runs + unconfirmed > 0)
    throw new Problem("conflict", {
      message: sentences.deletions.notSettled({ runs, unconfirmed }),
    });
}

/**
 * Deletes a project: it loses its members, so that nobody sees it or its content, and is archived,
 * so that its keys stop working. It can be restored until `dueAt`; then a chore erases it.
 * @param named the project's name as the person typed it; undefined when it is deleted with its
 *   person
 * @returns the people whose rights have changed
 * @throws Problem not_found; invalid_input for a different name; conflict while a run is open
 */
export async function deleteProject(
  unit: Unit,
  asked: { projectId: string; named?: string; by: string; dueAt: number },
): Promise<{ memberIds: string[] }> {
  const { tx, at } = unit;
  const { projectId, named, by, dueAt } = asked;
  const project = await tx
    .selectFrom("project")
    .selectAll()
    .where("id", "=", projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!project) throw new Problem("not_found");
  if (named !== undefined && named.trim() !== project.name.trim())
    throw new Problem("invalid_input", {
      field: "name",
      message: sentences.deletions.otherName({ name: project.name }),
    });
  await requireSettled(tx, { projectId });
  const members = await tx
    .deleteFrom("project_member")
    .where("project_id", "=", projectId)
    .returning(["user_id", "role", "created_at"])
    .execute();
  await tx
    .insertInto("deleted_project")
    .values({
      project_id: projectId,
      members: toJson(members satisfies KeptMember[]),
      was_archived_at: project.archived_at,
      deleted_by: by,
      deleted_at: at,
      due_at: dueAt,
      erased_to: "",
      erased_at: null,
      number: null,
    })
    .execute();
  await tx.updateTable("project").set({ archived_at: at }).where("id", "=", projectId).execute();
  await tx.deleteFrom("invite").where("project_id", "=", projectId).execute();
  return { memberIds: members.map((member) => member.user_id) };
}

/**
 * Returns those of the people who are in no project, so that each gets a new one. Locks the people
 * first: if another unit ends their other membership at the same time, the later one sees that.
 */
export async function listPeopleWithoutProject(
  { tx }: Unit,
  userIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (userIds.length === 0) return [];
  await tx
    .selectFrom("user")
    .select("id")
    .where("id", "in", [...userIds])
    // In one order, so that two units can't wait for each other.
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return tx
    .selectFrom("user")
    .select(["id", "name"])
    .where("id", "in", [...userIds])
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("project_member")
            .select("user_id")
            .whereRef("project_member.user_id", "=", "user.id"),
        ),
      ),
    )
    .execute();
}

/** Lists deleted projects that can still be restored, last deleted first. */
export async function listDeletedProjects(
  db: Reader,
  { cursor, limit, now }: { cursor?: string; limit: number; now: number },
) {
  let query = db
    .selectFrom("deleted_project")
    .innerJoin("project", "project.id", "deleted_project.project_id")
    .leftJoin("user", "user.id", "deleted_project.deleted_by")
    .select(["project.id", "project.name", "user.name as deletedByName"])
    .select(["deleted_project.deleted_at as deletedAt", "deleted_project.due_at as dueAt"])
    .where("deleted_project.erased_at", "is", null)
    .where("deleted_project.due_at", ">", now)
    .orderBy("deleted_project.deleted_at", "desc")
    .orderBy("project.id", "desc")
    .limit(limit + 1);
  if (cursor) {
    const [at, id] = fromCursor(cursor, ["number", "string"]) as [number, string];
    query = query.where((e) =>
      e(e.refTuple("deleted_project.deleted_at", "project.id"), "<", e.tuple(at, id)),
    );
  }
  const shown = page(await query.execute(), limit, (row) => [row.deletedAt, row.id]);
  return {
    projects: shown.rows.map((row) => ({ ...row, deletedByName: row.deletedByName ?? "" })),
    next: shown.next,
  };
}

/**
 * Restores a deleted project with its members.
 * @returns the people whose rights have changed
 * @throws Problem not_found once it is due
 */
export async function restoreProject(
  { tx, at }: Unit,
  projectId: string,
): Promise<{ memberIds: string[] }> {
  const deleted = await tx
    .deleteFrom("deleted_project")
    .where("project_id", "=", projectId)
    .where("due_at", ">", at)
    .where("erased_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!deleted) throw new Problem("not_found");
  const members = fromJson<KeptMember[]>(deleted.members);
  for (const member of members)
    await tx
      .insertInto("project_member")
      .values({ ...member, project_id: projectId, name: nameOf(member.user_id) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await tx
    .updateTable("project")
    .set({ archived_at: deleted.was_archived_at })
    .where("id", "=", projectId)
    .execute();
  return { memberIds: members.map((member) => member.user_id) };
}

/** Lists deleted projects that are due to be erased. */
export async function listDueProjects(db: Reader, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom("deleted_project")
    .select("project_id")
    .where("erased_at", "is", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .execute();
  return rows.map((row) => row.project_id);
}

/** A run has several events, an attempt and outputs. */
const rowsOfRun = 10;

/**
 * Erases up to `most` rows of a deleted project that is due. The project's name stays, and the
 * ledger's facts about its runs; files are deleted once the collector finds them unneeded.
 * @returns whether more is left
 */
export async function eraseProjectPart(
  { tx, at }: Unit,
  projectId: string,
  { now, most }: { now: number; most: number },
): Promise<boolean> {
  const deleted = await tx
    .selectFrom("deleted_project")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("erased_at", "is", null)
    .where("due_at", "<=", now)
    .forNoKeyUpdate()
    .executeTakeFirst();
  // A run admitted at the moment of the deletion must end first.
  if (!deleted || (await openRuns(tx, { projectId }).select("id").limit(1).executeTakeFirst()))
    return false;
  if (await removeContent(tx, projectId, most)) return true;
  if (await removeEndpoints(tx, projectId, most)) return true;
  const runs = await tx
    .selectFrom("run")
    .select("id")
    .where("project_id", "=", projectId)
    .where("id", ">", deleted.erased_to)
    .orderBy("id")
    .limit(Math.max(1, Math.floor(most / rowsOfRun)))
    .execute();
  if (runs.length > 0) {
    const ids = runs.map(({ id }) => id);
    await eraseRuns(tx, ids, at);
    await setDeleted(tx, projectId, { erased_to: ids.at(-1)! });
    return true;
  }
  await tx
    .deleteFrom("connection")
    .where("scope", "=", "project")
    .where("scope_id", "=", projectId)
    .execute();
  await tx
    .deleteFrom("budget")
    .where("scope", "=", "project")
    .where("scope_id", "=", projectId)
    .execute();
  await tx.deleteFrom("model_access").where("subject", "=", `project:${projectId}`).execute();
  await tx.deleteFrom("change").where("project_id", "=", projectId).execute();
  // The ledger keeps the names of its keys.
  await tx
    .updateTable("api_key")
    .set({ revoked_at: at })
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .execute();
  await tx
    .updateTable("project")
    .set({ description: "", instructions: "", defaults: "{}" })
    .where("id", "=", projectId)
    .execute();
  await setDeleted(tx, projectId, { members: "[]", erased_at: at });
  return false;
}

const setDeleted = (
  tx: Unit["tx"],
  projectId: string,
  change: Partial<DeletedProjectRow>,
): Promise<unknown> =>
  tx.updateTable("deleted_project").set(change).where("project_id", "=", projectId).execute();

async function removeEndpoints(tx: Unit["tx"], projectId: string, most: number): Promise<boolean> {
  const endpoints = tx
    .selectFrom("webhook_endpoint")
    .select("id")
    .where("project_id", "=", projectId);
  const deliveries = tx
    .selectFrom("webhook_out")
    .select("id")
    .where("endpoint_id", "in", endpoints)
    .limit(most);
  if (await removed(tx.deleteFrom("webhook_out").where("id", "in", deliveries))) return true;
  return removed(tx.deleteFrom("webhook_endpoint").where("project_id", "=", projectId));
}
