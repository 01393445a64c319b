import type { MemberInvite, OwnInvite, ProjectRole } from "#contract/entities.ts";
import type { Reader, Tx } from "../database/store.ts";

/**
 * Invites an address to a project, replacing an earlier invitation. The address isn't looked up,
 * because it may have no account.
 */
export async function inviteMember(
  tx: Tx,
  invite: {
    id: string;
    projectId: string;
    email: string;
    role: ProjectRole;
    createdBy: string;
    expiresAt: number;
  },
): Promise<void> {
  const { id, projectId, email, role, createdBy, expiresAt } = invite;
  const earlier = tx
    .deleteFrom("invite")
    .where("project_id", "=", projectId)
    .where("email", "=", email)
    .where("used_at", "is", null);
  await earlier.where("kind", "=", "project").execute();
  await tx
    .insertInto("invite")
    .values({
      id,
      kind: "project",
      user_id: null,
      // There is no link: the person who signs in with the address answers the invitation.
      token_hash: id,
      email,
      role: "member",
      project_id: projectId,
      project_role: role,
      created_by: createdBy,
      expires_at: expiresAt,
      used_at: null,
    })
    .execute();
}

/**
 * Open invitations whose author may still invite: an active manager of a project that isn't
 * archived.
 */
const open = (db: Reader, now: number) =>
  db
    .selectFrom("invite")
    .innerJoin("project", "project.id", "invite.project_id")
    .innerJoin("user", "user.id", "invite.created_by")
    .innerJoin("project_member as maker", (join) =>
      join
        .onRef("maker.project_id", "=", "invite.project_id")
        .onRef("maker.user_id", "=", "invite.created_by"),
    )
    .where("invite.kind", "=", "project")
    .where("invite.used_at", "is", null)
    .where("invite.expires_at", ">", now)
    .where("maker.role", "=", "manager")
    .where("user.status", "=", "active")
    .where("project.archived_at", "is", null)
    .select([
      "invite.id",
      "invite.project_id",
      "invite.email",
      "invite.project_role",
      "invite.expires_at",
    ])
    .select(["project.name as project_name", "user.name as inviter_name"])
    .orderBy("invite.id");

export async function listMemberInvites(
  db: Reader,
  projectId: string,
  now: number,
): Promise<MemberInvite[]> {
  const rows = await open(db, now).where("invite.project_id", "=", projectId).execute();
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.project_role ?? "viewer",
    expiresAt: row.expires_at,
  }));
}

export async function listOwnInvites(db: Reader, email: string, now: number): Promise<OwnInvite[]> {
  const rows = await open(db, now).where("invite.email", "=", email).execute();
  return rows.map((row) => ({
    id: row.id,
    projectName: row.project_name,
    inviterName: row.inviter_name,
    role: row.project_role ?? "viewer",
    expiresAt: row.expires_at,
  }));
}

/**
 * Deletes up to `most` links and invitations that expired before a time.
 * @returns whether more may be left
 */
export async function pruneInvites(tx: Tx, before: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("invite")
    .where("id", "in", (e) =>
      e.selectFrom("invite").select("id").where("expires_at", "<", before).limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}

/**
 * Consumes an invitation.
 * @returns its project and role; undefined when this address has no such open invitation
 */
export async function takeMemberInvite(
  tx: Tx,
  which: { id: string; email: string; at: number },
): Promise<{ projectId: string; role: ProjectRole } | undefined> {
  const found = await open(tx, which.at)
    .where("invite.id", "=", which.id)
    .where("invite.email", "=", which.email)
    .executeTakeFirst();
  if (!found?.project_id) return undefined;
  const taken = await tx
    .updateTable("invite")
    .set({ used_at: which.at })
    .where("id", "=", which.id)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n
    ? { projectId: found.project_id, role: found.project_role ?? "viewer" }
    : undefined;
}

/**
 * Lists the projects to which one person has invited an address, in order of invitation. A link
 * from that person leads to all of them.
 */
export async function listMemberInvitesBy(
  db: Reader,
  of: { createdBy: string; email: string; now: number },
): Promise<{ id: string; projectName: string }[]> {
  const rows = await open(db, of.now)
    .where("invite.created_by", "=", of.createdBy)
    .where("invite.email", "=", of.email)
    .execute();
  return rows.map((row) => ({ id: row.id, projectName: row.project_name }));
}

export async function removeMemberInvite(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const removed = tx
    .deleteFrom("invite")
    .where("id", "=", id)
    .where("project_id", "=", projectId)
    .where("used_at", "is", null);
  return (await removed.where("kind", "=", "project").executeTakeFirst()).numDeletedRows > 0n;
}
