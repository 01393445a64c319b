import { sql } from "kysely";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isOneOf } from "../../database/is-one-of.ts";
import { fromJson, toJson } from "../../database/json.ts";
import type { DeletedPersonRow, UserRow } from "../../database/schema.ts";
import type { Reader, Tx } from "../../database/store.ts";
import { countUnpricedIn } from "../../money/runs-without-price.ts";
import { countOwners, lockInstance } from "../../people/people.ts";
import { nameOf } from "../../people/projects.ts";
import type { Unit } from "../../runs/unit.ts";
import { countOf } from "./count-of.ts";
import {
  deleteProject,
  describeOpen,
  ever,
  type KeptMember,
  requireSettled,
} from "./project-deletions.ts";
import { noteUnreadResults } from "./unread-results.ts";

export type SharedWork = DeletedPersonRow["shared_work"];

/**
 * Returns the next owner of a project: the other member with the highest role, then the earliest.
 * A suspended member only if no other can sign in.
 */
async function successorOf(
  db: Reader,
  projectId: string,
  ownerId: string,
): Promise<{ id: string; name: string } | undefined> {
  return db
    .selectFrom("project_member")
    .innerJoin("user", "user.id", "project_member.user_id")
    .select(["user.id", "user.name"])
    .where("project_member.project_id", "=", projectId)
    .where("project_member.user_id", "!=", ownerId)
    .orderBy(sql`case "user".status when 'active' then 0 else 1 end`)
    .orderBy(sql`case project_member.role when 'manager' then 0 when 'editor' then 1 else 2 end`)
    .orderBy("project_member.created_at")
    .orderBy("user.id")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Lists the projects a person owns, except deleted ones, each with its next owner; null when it is
 * deleted with the person.
 */
async function listOwned(db: Reader, userId: string) {
  const owned = await db
    .selectFrom("project_member")
    .innerJoin("project", "project.id", "project_member.project_id")
    .select(["project.id", "project.name"])
    .where("project_member.user_id", "=", userId)
    .where("project.owner_id", "=", userId)
    .orderBy("project.id")
    .execute();
  const found = [];
  for (const project of owned)
    found.push({ ...project, successor: (await successorOf(db, project.id, userId)) ?? null });
  return found;
}

/** Describes what deleting a person deletes, transfers or leaves, and which runs must end first. */
export async function describePersonDeletion(db: Reader, userId: string) {
  const user = await db
    .selectFrom("user")
    .select(["name", "email"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (!user) throw new Problem("not_found");
  const conversations = db.selectFrom("conversation").where("user_id", "=", userId);
  const files = db
    .selectFrom("asset")
    .where("created_by", "=", userId)
    .where("deleted_at", "is", null);
  const keys = db
    .selectFrom("api_key")
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null);
  const comparisons = db.selectFrom("comparison").where("user_id", "=", userId);
  // Project by project, as the index of a person's runs goes.
  const runs = db
    .selectFrom("run")
    .where("project_id", "in", db.selectFrom("project").select("project.id"))
    .where("user_id", "=", userId);
  const connections = db
    .selectFrom("connection")
    .where("scope", "=", "user")
    .where("scope_id", "=", userId);
  const spent = await db
    .selectFrom("usage_month")
    .select(sql<number>`coalesce(sum(micros), 0)`.as("micros"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  const owned = await listOwned(db, userId);
  return {
    name: user.name,
    email: user.email,
    goes: {
      conversations: await countOf(conversations.where("visibility", "=", "author")),
      files: await countOf(files.where("visibility", "=", "author")),
      keys: await countOf(keys),
      sessions: await countOf(db.selectFrom("session").where("userId", "=", userId)),
      connections: await countOf(connections),
      projects: owned.flatMap(({ id, name, successor }) => (successor ? [] : [{ id, name }])),
    },
    /** Stays or is deleted, as requested. */
    shared: {
      conversations: await countOf(conversations.where("visibility", "=", "project")),
      files: await countOf(files.where("visibility", "=", "project")),
      comparisons: await countOf(comparisons.where("visibility", "=", "project")),
      runs: await countOf(runs.where("visibility", "=", "project")),
    },
    handsOver: owned.flatMap(({ id, name, successor }) =>
      successor
        ? [{ id, name, to: successor.name, losesName: name === sentences.projects.ownName(user) }]
        : [],
    ),
    stays: {
      spentMicros: Number(spent.micros),
      unpricedRuns: await countUnpricedIn(db, { scope: "user", scopeId: userId }, ever),
    },
    open: await describeOpen(db, { userId }),
  };
}

/**
 * Deletes a person: they can't sign in any more, and only a number identifies them. A chore erases
 * their work.
 * @returns the people whose rights have changed, and those who need a new project
 * @throws Problem not_found; conflict for the last owner and while a run is open
 */
export async function deletePerson(
  unit: Unit,
  asked: { userId: string; by: string; sharedWork: SharedWork },
): Promise<{ memberIds: string[] }> {
  const { tx, at } = unit;
  const { userId, by, sharedWork } = asked;
  await lockInstance(tx);
  const user = await tx.selectFrom("user").selectAll().where("id", "=", userId).executeTakeFirst();
  if (!user || (await isDeletedPerson(tx, userId))) throw new Problem("not_found");
  if (user.role === "owner" && user.status === "active" && (await countOwners(tx)) <= 1)
    throw new Problem("conflict", { message: sentences.account.lastOwner });
  await requireSettled(tx, { userId });
  const namedAfter = await listNamedAfter(tx, user);
  const memberIds: string[] = [];
  for (const { id, successor } of await listOwned(tx, userId)) {
    if (!successor) {
      memberIds.push(...(await deleteProject(unit, { projectId: id, by, dueAt: at })).memberIds);
      continue;
    }
    await giveProject(tx, id, successor.id, at);
    memberIds.push(successor.id);
  }
  await leaveDeletedProjects(tx, userId, at);
  const { last } = await tx
    .selectFrom("deleted_person")
    .select(sql<number>`coalesce(max(number), 0)`.as("last"))
    .executeTakeFirstOrThrow();
  const number = Number(last) + 1;
  await tx
    .insertInto("deleted_person")
    .values({
      user_id: userId,
      number,
      shared_work: sharedWork,
      deleted_by: by,
      deleted_at: at,
      erased_to: "",
      erased_at: null,
    })
    .execute();
  await removeAccess(unit, user);
  await forgetPerson(tx, user, number, at);
  await renameProjects(tx, { ids: namedAfter, from: user.name, number });
  return { memberIds: memberIds.filter((id) => id !== userId) };
}

async function giveProject(tx: Tx, projectId: string, toUserId: string, at: number): Promise<void> {
  await tx.updateTable("project").set({ owner_id: toUserId }).where("id", "=", projectId).execute();
  await tx
    .insertInto("project_member")
    .values({
      project_id: projectId,
      user_id: toUserId,
      role: "manager",
      created_at: at,
      name: nameOf(toUserId),
    })
    .onConflict((conflict) =>
      conflict.columns(["project_id", "user_id"]).doUpdateSet({ role: "manager" }),
    )
    .execute();
}

/**
 * Removes the person from deleted projects' members. A project that nobody else could restore is
 * due at once.
 */
async function leaveDeletedProjects(tx: Tx, userId: string, at: number): Promise<void> {
  const deleted = await tx
    .selectFrom("deleted_project")
    .innerJoin("project", "project.id", "deleted_project.project_id")
    .select(["project.id", "project.owner_id", "deleted_project.members"])
    .where("deleted_project.erased_at", "is", null)
    .where("deleted_project.members", "like", `%${userId}%`)
    .execute();
  for (const { id, owner_id, members } of deleted) {
    const left = fromJson<KeptMember[]>(members).filter((member) => member.user_id !== userId);
    const heir = left.find(({ role }) => role === "manager") ?? left[0];
    await tx
      .updateTable("deleted_project")
      .set({
        members: toJson(
          left.map((member) =>
            owner_id === userId && member === heir ? { ...member, role: "manager" } : member,
          ),
        ),
        ...(left.length === 0 && { due_at: at }),
      })
      .where("project_id", "=", id)
      .execute();
    if (owner_id === userId && heir)
      await tx
        .updateTable("project")
        .set({ owner_id: heir.user_id })
        .where("id", "=", id)
        .execute();
  }
}

/** Deletes sessions, password, memberships, links, keys, personal connections and budgets. */
async function removeAccess(unit: Unit, { id, email }: UserRow): Promise<void> {
  const { tx, at } = unit;
  for (const table of ["session", "account"] as const)
    await tx.deleteFrom(table).where("userId", "=", id).execute();
  await tx.deleteFrom("verification").where("identifier", "=", email).execute();
  await tx.deleteFrom("project_member").where("user_id", "=", id).execute();
  await tx
    .deleteFrom("invite")
    .where((e) => e.or([e("email", "=", email), e("user_id", "=", id), e("created_by", "=", id)]))
    .execute();
  await tx.deleteFrom("model_star").where("user_id", "=", id).execute();
  await tx.deleteFrom("model_access").where("subject", "=", `user:${id}`).execute();
  const own = await tx
    .selectFrom("connection")
    .select("id")
    .where("scope", "=", "user")
    .where("scope_id", "=", id)
    .orderBy("id")
    .execute();
  for (const connection of own) {
    await noteUnreadResults(unit, connection.id);
    await tx.deleteFrom("connection").where("id", "=", connection.id).execute();
  }
  const keys = await tx.selectFrom("api_key").select("id").where("user_id", "=", id).execute();
  for (const key of keys) {
    // The ledger refers to the key by its id.
    await tx
      .updateTable("api_key")
      .set((e) => ({
        name: sentences.deletions.keyGone,
        prefix: "",
        hash: key.id,
        revoked_at: e.fn.coalesce("revoked_at", e.val(at)),
      }))
      .where("id", "=", key.id)
      .execute();
    await removeBudgets(tx, "api_key", key.id);
  }
  await removeBudgets(tx, "user", id);
}

const removeBudgets = (tx: Tx, scope: "api_key" | "user", id: string): Promise<unknown> =>
  tx.deleteFrom("budget").where("scope", "=", scope).where("scope_id", "=", id).execute();

/**
 * Erases the name, the address and all other identifying facts, in the account and where other
 * tables keep them.
 */
async function forgetPerson(tx: Tx, user: UserRow, number: number, at: number): Promise<void> {
  const { id, email } = user;
  const name = sentences.deletions.personGone({ number });
  await tx
    .updateTable("user")
    .set({
      name,
      email: `deleted-${number}@deleted.invalid`,
      image: null,
      role: "member",
      status: "suspended",
      locale: "en",
      timeZone: "UTC",
      theme: "system",
      titleModel: null,
      defaults: null,
      updatedAt: new Date(at).toISOString(),
    })
    .where("id", "=", id)
    .execute();
  await tx.updateTable("audit_event").set({ ip: null }).where("actor_id", "=", id).execute();
  // Details such as an invitation's contain the address. The quotes prevent matching a longer
  // address with the same ending.
  const address = JSON.stringify(email);
  const named = await tx
    .selectFrom("audit_event")
    .select(["id", "detail"])
    .where("detail", "like", `%${address.replace(/[\\%_]/g, "_")}%`)
    .execute();
  for (const event of named)
    await tx
      .updateTable("audit_event")
      .set({ detail: event.detail.split(address).join('""') })
      .where("id", "=", event.id)
      .execute();
  await tx
    .updateTable("project_import")
    .set({ name: "", problem: null })
    .where("user_id", "=", id)
    .execute();
  await tx
    .updateTable("project_import")
    .set({ state: "cancelled", ended_at: at })
    .where("user_id", "=", id)
    .where("state", "=", "open")
    .execute();
  await tx
    .updateTable("connection_grant")
    .set({ user_id: null, state_hash: null })
    .where("user_id", "=", id)
    .execute();
  await tx.deleteFrom("webhook_out").where("only_for", "=", id).execute();
  await tx.deleteFrom("run_webhook").where("user_id", "=", id).execute();
  await renameDeletedProjects(tx, id);
}

/**
 * Lists the projects with the person's default name that they own, owned or are in. Others may have
 * such a name too, for example of a person with the same name.
 */
async function listNamedAfter(db: Reader, { id, name }: UserRow): Promise<string[]> {
  const projects = await db
    .selectFrom("project")
    .select("id")
    .where("name", "=", sentences.projects.ownName({ name }))
    .where((e) =>
      e.or([
        e("owner_id", "=", id),
        e(
          "id",
          "in",
          e.selectFrom("project_member").select("project_id").where("user_id", "=", id),
        ),
        e(
          "id",
          "in",
          e
            .selectFrom("audit_event")
            .select("target_id")
            .where("actor_id", "=", id)
            .where("action", "=", "hand-over-project"),
        ),
      ]),
    )
    .execute();
  return projects.map((project) => project.id);
}

/**
 * Removes a deleted person's name from those of these projects that others own now. An owner of the
 * same name keeps their own.
 */
async function renameProjects(
  tx: Tx,
  { ids, from, number }: { ids: readonly string[]; from: string; number: number },
): Promise<void> {
  const name = sentences.deletions.personGone({ number });
  await tx
    .updateTable("project")
    .set({ name: sentences.projects.ownName({ name }) })
    .where(isOneOf(tx, "id", toJson(ids)))
    .where("name", "=", sentences.projects.ownName({ name: from }))
    .where("owner_id", "not in", tx.selectFrom("user").select("id").where("name", "=", from))
    .execute();
}

/** The ledger keeps the name of a deleted project, unless it belonged to a deleted person alone. */
async function renameDeletedProjects(tx: Tx, userId: string): Promise<void> {
  const deleted = await tx
    .selectFrom("project")
    .innerJoin("deleted_project", "deleted_project.project_id", "project.id")
    .select("project.id")
    .where("project.owner_id", "=", userId)
    .orderBy("project.id")
    .execute();
  if (deleted.length === 0) return;
  const { last } = await tx
    .selectFrom("deleted_project")
    .select(sql<number>`coalesce(max(number), 0)`.as("last"))
    .executeTakeFirstOrThrow();
  for (const [index, { id }] of deleted.entries()) {
    const number = Number(last) + 1 + index;
    await tx.updateTable("deleted_project").set({ number }).where("project_id", "=", id).execute();
    await tx
      .updateTable("project")
      .set({ name: sentences.deletions.projectGone({ number }) })
      .where("id", "=", id)
      .execute();
  }
}

export const isDeletedPerson = async (db: Reader, userId: string): Promise<boolean> =>
  (await db
    .selectFrom("deleted_person")
    .select("user_id")
    .where("user_id", "=", userId)
    .executeTakeFirst()) !== undefined;
