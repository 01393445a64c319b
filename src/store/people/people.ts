import { sql } from "kysely";
import type { InstanceRole, Invite, PersonDefaults, Session, User } from "#contract/entities.ts";
import type { AuditAction } from "#contract/filters/audit-actions.ts";
import { countFound, fromCursor, page } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromDate, fromJsonOrNull, toJson, toJsonOrNull } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { InviteRow, UserRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { hasPart } from "./name-search.ts";
import { unseenProjects } from "./projects.ts";

const userColumns = [
  "user.id",
  "user.email",
  "user.name",
  "user.image",
  "user.role",
  "user.status",
  "user.locale",
  "user.timeZone",
  "user.theme",
  "user.titleModel",
  "user.defaults",
  "user.createdAt",
] as const;
const noDefaults: PersonDefaults = {
  chatModel: null,
  pictureModel: null,
  pictureShape: null,
  notices: null,
};
export const toUser = (row: Pick<UserRow, keyof User>): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  image: row.image,
  role: row.role,
  status: row.status,
  locale: row.locale,
  timeZone: row.timeZone,
  theme: row.theme,
  titleModel: fromJsonOrNull(row.titleModel),
  defaults: { ...noDefaults, ...fromJsonOrNull<Partial<PersonDefaults>>(row.defaults) },
  createdAt: fromDate(row.createdAt),
});
const toInvite = (row: InviteRow): Invite => ({
  id: row.id,
  kind: row.kind === "password" ? "password" : "join",
  userId: row.user_id,
  email: row.email,
  role: row.role,
  createdBy: row.created_by,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
});
/** Formats a date as the sign-in library does on either database. */
const isoDate = (at: number): string => new Date(at).toISOString();

export type Instance = {
  ownerId: string | null;
  setupCodeHash: string | null;
  epoch: string;
  masterKeyVersion: number;
  masterKeyCheck: string | null;
};

export async function getInstance(db: Reader): Promise<Instance | undefined> {
  const row = await db.selectFrom("instance").selectAll().where("id", "=", 1).executeTakeFirst();
  return (
    row && {
      ownerId: row.owner_id,
      setupCodeHash: row.setup_code_hash,
      epoch: row.epoch,
      masterKeyVersion: Number(row.master_key_version),
      masterKeyCheck: row.master_key_check,
    }
  );
}

/**
 * Creates the instance's one row, unless another server has. `masterKey` holds the check value that
 * recognizes the key of its secrets.
 */
export async function ensureInstance(
  tx: Tx,
  epoch: string,
  at: number,
  masterKey: { version: number; check: string } | null = null,
): Promise<void> {
  await tx
    .insertInto("instance")
    .values({
      id: 1,
      owner_id: null,
      setup_code_hash: null,
      epoch,
      master_key_version: masterKey?.version ?? 1,
      master_key_check: masterKey?.check ?? null,
      place: null,
      files_nonce: null,
      files_next: null,
      files_prefixes: "[]",
      created_at: at,
      models_for: "everyone",
      members_connect: 1,
      backup_hour: 3,
      backup_time_zone: "UTC",
      backup_keep: 7,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (masterKey)
    await tx
      .updateTable("instance")
      .set({ master_key_version: masterKey.version, master_key_check: masterKey.check })
      .where("id", "=", 1)
      .where("master_key_check", "is", null)
      .execute();
}

/**
 * Makes the next version of the master key seal new secrets.
 * @returns false when another version has become active meanwhile
 */
export async function activateMasterKey(
  tx: Tx,
  before: number,
  next: { version: number; check: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("instance")
    .set({ master_key_version: next.version, master_key_check: next.check })
    .where("id", "=", 1)
    .where("master_key_version", "=", before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Locks the instance across all servers, for units that create something only if it is missing. */
export async function lockInstance(tx: Tx): Promise<void> {
  await tx
    .selectFrom("instance")
    .select("id")
    .where("id", "=", 1)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function setSetupCode(tx: Tx, hash: string): Promise<void> {
  await tx
    .updateTable("instance")
    .set({ setup_code_hash: hash })
    .where("id", "=", 1)
    .where("owner_id", "is", null)
    .execute();
}

/**
 * Sets the first owner. The single row decides between two concurrent attempts.
 * @returns false for the second one
 */
export async function claimInstance(tx: Tx, ownerId: string): Promise<boolean> {
  const result = await tx
    .updateTable("instance")
    .set({ owner_id: ownerId, setup_code_hash: null })
    .where("id", "=", 1)
    .where("owner_id", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Inserts a person, and the account with the password hash, as the sign-in library reads them. */
export async function insertUser(
  tx: Tx,
  user: {
    id: string;
    accountId: string;
    name: string;
    email: string;
    role: InstanceRole;
    passwordHash: string;
    at: number;
  },
): Promise<User> {
  const now = isoDate(user.at);
  const row: UserRow = {
    id: user.id,
    name: user.name,
    email: user.email,
    emailVerified: false,
    image: null,
    createdAt: now,
    updatedAt: now,
    role: user.role,
    status: "active",
    locale: "en",
    timeZone: "UTC",
    theme: "system",
    titleModel: null,
    defaults: null,
  };
  await tx.insertInto("user").values(row).execute();
  await tx
    .insertInto("account")
    .values({
      id: user.accountId,
      accountId: user.id,
      providerId: "credential",
      userId: user.id,
      accessToken: null,
      refreshToken: null,
      idToken: null,
      accessTokenExpiresAt: null,
      refreshTokenExpiresAt: null,
      scope: null,
      password: user.passwordHash,
      createdAt: now,
      updatedAt: now,
    })
    .execute();
  return toUser(row);
}

export async function setPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx
    .updateTable("account")
    .set({ password: passwordHash })
    .where("userId", "=", userId)
    .where("providerId", "=", "credential")
    .execute();
}

export async function getUser(db: Reader, id: string): Promise<User | undefined> {
  const row = await db.selectFrom("user").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toUser(row);
}

export async function findUserByEmail(db: Reader, email: string): Promise<User | undefined> {
  const row = await db.selectFrom("user").selectAll().where("email", "=", email).executeTakeFirst();
  return row && toUser(row);
}

export async function updateUser(
  tx: Tx,
  id: string,
  {
    titleModel,
    defaults,
    ...rest
  }: Partial<
    Pick<UserRow, "name" | "locale" | "timeZone" | "theme" | "role" | "status"> &
      Pick<User, "titleModel"> & { defaults: Partial<PersonDefaults> }
  >,
): Promise<User | undefined> {
  const before = defaults && (await getUser(tx, id))?.defaults;
  const change: Partial<UserRow> = {
    ...rest,
    ...(titleModel !== undefined && { titleModel: toJsonOrNull(titleModel) }),
    ...(defaults && { defaults: toJson({ ...before, ...defaults }) }),
  };
  if (change.name !== undefined)
    await tx
      .updateTable("project_member")
      .set({ name: change.name })
      .where("user_id", "=", id)
      .execute();
  const row =
    Object.keys(change).length > 0
      ? await tx
          .updateTable("user")
          .set(change)
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst()
      : await tx.selectFrom("user").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toUser(row);
}

/** Counts active owners under a lock, so that the last two can't both step down. */
export async function countOwners(tx: Tx): Promise<number> {
  return (
    await tx
      .selectFrom("user")
      .select("id")
      .where("role", "=", "owner")
      .where("status", "=", "active")
      .forNoKeyUpdate()
      .execute()
  ).length;
}

type PeopleFilter = {
  /** Part of the name or address. */
  q?: string;
  status?: User["status"];
  /** Restricts the list to these ids. */
  ids?: readonly string[];
};

/** Returns a page of people by name, and their total count. */
export async function listPeople(
  db: Reader,
  { q, status, ids, cursor, limit }: PeopleFilter & { cursor?: string; limit: number },
): Promise<{ people: (User & { projects: number })[]; next: string | null; count: number }> {
  let found = db
    .selectFrom("user")
    .where("user.id", "not in", db.selectFrom("deleted_person").select("deleted_person.user_id"));
  if (status) found = found.where("user.status", "=", status);
  if (ids) found = found.where(isOneOf(db, "user.id", toJson(ids)));
  const isSought = hasPart(db, q, { names: ["user.name"], addresses: ["user.email"] });
  if (isSought) found = found.where(isSought);
  let query = found.selectAll("user").select((e) =>
    e
      .selectFrom("project")
      .select((p) => p.fn.countAll<number>().as("n"))
      .whereRef("project.owner_id", "=", "user.id")
      .where("project.id", "not in", unseenProjects(db))
      .as("projects"),
  );
  if (cursor) {
    const [name, id] = fromCursor(cursor, ["string", "string"]);
    query = query.where(sql<boolean>`("user".name, "user".id) > (${name}, ${id})`);
  }
  const rows = await query
    .orderBy("user.name")
    .orderBy("user.id")
    .limit(limit + 1)
    .execute();
  const shown = page(rows, limit, (row) => [row.name, row.id]);
  const count = await countFound(shown, cursor, () =>
    found.select((e) => e.fn.countAll<number>().as("n")).executeTakeFirstOrThrow(),
  );
  return {
    people: shown.rows.map((row) => ({ ...toUser(row), projects: Number(row.projects ?? 0) })),
    next: shown.next,
    count,
  };
}

/** Whether every id belongs to a person. */
export async function areKnown(db: Reader, ids: readonly string[]): Promise<boolean> {
  const known = await db
    .selectFrom("user")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where(isOneOf(db, "id", toJson(ids)))
    .executeTakeFirstOrThrow();
  return Number(known.n) === new Set(ids).size;
}

export async function listSessions(
  db: Reader,
  userId: string,
  currentToken: string,
): Promise<Session[]> {
  const rows = await db
    .selectFrom("session")
    .selectAll()
    .where("userId", "=", userId)
    .orderBy("createdAt", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    current: row.token === currentToken,
    ip: row.ipAddress,
    userAgent: row.userAgent,
    createdAt: fromDate(row.createdAt),
    expiresAt: fromDate(row.expiresAt),
  }));
}

const sessionRow = prepared((db, { token }: { token: string }) =>
  db
    .selectFrom("session")
    .innerJoin("user", "user.id", "session.userId")
    .select(userColumns)
    .select("session.expiresAt as session_expires_at")
    .where("session.token", "=", token),
);

/** Finds a session, expired or not, and its person by the token. Every request starts with it. */
export async function findSession(
  db: Reader,
  token: string,
): Promise<{ user: User; expiresAt: number } | undefined> {
  const [row] = await sessionRow(db, { token });
  return row && { user: toUser(row), expiresAt: fromDate(row.session_expires_at) };
}

/** Ends a person's sessions: one by id, or all but one. */
export async function endSessions(
  tx: Tx,
  userId: string,
  which: { id: string } | { exceptToken?: string },
): Promise<number> {
  let query = tx.deleteFrom("session").where("userId", "=", userId);
  if ("id" in which) query = query.where("id", "=", which.id);
  else if (which.exceptToken) query = query.where("token", "!=", which.exceptToken);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/**
 * Deletes up to `most` expired sessions.
 * @returns whether more may be left
 */
export async function pruneSessions(tx: Tx, now: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("session")
    .where("id", "in", (e) =>
      e
        .selectFrom("session")
        .select("id")
        .where("expiresAt", "<", new Date(now).toISOString())
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}

export async function insertInvite(
  tx: Tx,
  invite: {
    id: string;
    kind: "join" | "password";
    userId: string | null;
    tokenHash: string;
    email: string;
    role: InstanceRole;
    createdBy: string;
    expiresAt: number;
  },
): Promise<Invite> {
  const row: InviteRow = {
    id: invite.id,
    kind: invite.kind,
    user_id: invite.userId,
    token_hash: invite.tokenHash,
    email: invite.email,
    role: invite.role,
    project_id: null,
    project_role: null,
    created_by: invite.createdBy,
    expires_at: invite.expiresAt,
    used_at: null,
  };
  await tx.insertInto("invite").values(row).execute();
  return toInvite(row);
}

export async function findInvite(
  db: Reader,
  tokenHash: string,
  now: number,
): Promise<Invite | undefined> {
  const row = await db
    .selectFrom("invite")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .where("kind", "!=", "project")
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row && toInvite(row);
}

/** Consumes a link. Of two concurrent attempts, only the first succeeds. */
export async function consumeInvite(tx: Tx, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable("invite")
    .set({ used_at: now })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function listOpenInvites(db: Reader, now: number): Promise<Invite[]> {
  const open = db
    .selectFrom("invite")
    .selectAll()
    .where("used_at", "is", null)
    .where("expires_at", ">", now);
  return (await open.where("kind", "!=", "project").orderBy("id").execute()).map(toInvite);
}

/**
 * Revokes a link. With a link to join, also revokes its author's project invitations for the same
 * address.
 */
export async function removeInvite(tx: Tx, id: string): Promise<boolean> {
  const open = tx.deleteFrom("invite").where("used_at", "is", null);
  const link = await tx
    .selectFrom("invite")
    .selectAll()
    .where("id", "=", id)
    .where("kind", "!=", "project")
    .executeTakeFirst();
  if (!link) return false;
  const isRemoved = (await open.where("id", "=", id).executeTakeFirst()).numDeletedRows > 0n;
  if (isRemoved && link.kind === "join")
    await open
      .where("kind", "=", "project")
      .where("email", "=", link.email)
      .where("created_by", "=", link.created_by)
      .execute();
  return isRemoved;
}

/** Revokes every open link that a person created or received, because their rights have changed. */
export async function removeInvitesOf(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("invite")
    .where("used_at", "is", null)
    .where((e) => e.or([e("created_by", "=", userId), e("user_id", "=", userId)]))
    .execute();
}

/** Revokes a person's open password links, because they have a new password. */
export async function removePasswordLinks(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("invite")
    .where("used_at", "is", null)
    .where("kind", "=", "password")
    .where("user_id", "=", userId)
    .execute();
}

/** Appends to the audit log of admin actions. */
export async function recordAudit(
  tx: Tx,
  event: {
    id: string;
    actorId: string | null;
    action: AuditAction;
    targetKind: string;
    targetId: string;
    ip: string | null;
    detail?: Record<string, unknown>;
    at: number;
  },
): Promise<void> {
  await tx
    .insertInto("audit_event")
    .values({
      id: event.id,
      actor_id: event.actorId,
      action: event.action,
      target_kind: event.targetKind,
      target_id: event.targetId,
      ip: event.ip,
      detail: toJson(event.detail ?? {}),
      at: event.at,
    })
    .execute();
}
