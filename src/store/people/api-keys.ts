import type { ApiKey, ModelRef, User } from "#contract/entities.ts";
import type { KeyScope } from "#contract/key-scopes.ts";
import { countFound, fromCursor, page } from "../database/cursor.ts";
import { fromJson, toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { ApiKeyRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { hasPart } from "./name-search.ts";
import { toUser } from "./people.ts";

const readModels = (text: string | null): ModelRef[] | null =>
  text === null ? null : fromJson<ModelRef[]>(text);

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  userId: row.user_id,
  projectId: row.project_id,
  name: row.name,
  prefix: row.prefix,
  scopes: fromJson<KeyScope[]>(row.scopes),
  models: readModels(row.models),
  ratePerMinute: row.rate_per_minute,
  keepsRunning: row.keeps_running !== 0,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
});

const livingRow = prepared((db, { hash, now }: { hash: string; now: number }) =>
  db
    .selectFrom("api_key")
    .innerJoin("user", "user.id", "api_key.user_id")
    .innerJoin("project", "project.id", "api_key.project_id")
    .innerJoin("project_member", (join) =>
      join
        .onRef("project_member.project_id", "=", "api_key.project_id")
        .onRef("project_member.user_id", "=", "api_key.user_id"),
    )
    .selectAll("user")
    .select([
      "api_key.id as key_id",
      "api_key.project_id as key_project_id",
      "api_key.name as key_name",
      "api_key.scopes as key_scopes",
      "api_key.models as key_models",
      "api_key.rate_per_minute as key_rate",
      "api_key.keeps_running as key_keeps_running",
      "api_key.last_used_at as key_used_at",
      "api_key.expires_at as key_expires_at",
    ])
    .where("api_key.hash", "=", hash)
    .where("api_key.revoked_at", "is", null)
    .where((e) => e.or([e("api_key.expires_at", "is", null), e("api_key.expires_at", ">", now)]))
    .where("user.status", "=", "active")
    .where("project.archived_at", "is", null),
);

/** An active key: its rights, and when its use was last recorded. */
export type UsedKey = {
  id: string;
  name: string;
  projectId: string;
  scopes: KeyScope[];
  models: ModelRef[] | null;
  ratePerMinute: number;
  keepsRunning: boolean;
  lastUsedAt: number | null;
  expiresAt: number | null;
};

/**
 * Finds a valid key and its owner: not revoked or expired, the owner active and still a member of
 * the project, which isn't archived. Looked up by hash, so that timing reveals nothing about a key
 * that is nearly right.
 */
export async function findLivingKey(
  db: Reader,
  hash: string,
  now: number,
): Promise<{ user: User; key: UsedKey } | undefined> {
  const [row] = await livingRow(db, { hash, now });
  if (!row) return undefined;
  const key = {
    id: row.key_id,
    name: row.key_name,
    projectId: row.key_project_id,
    scopes: fromJson<KeyScope[]>(row.key_scopes),
    models: readModels(row.key_models),
    ratePerMinute: row.key_rate,
    keepsRunning: row.key_keeps_running !== 0,
    lastUsedAt: row.key_used_at,
    expiresAt: row.key_expires_at,
  };
  return { user: toUser(row), key };
}

/** Like `findLivingKey`, by id, for things issued in the key's name. */
export async function findLivingKeyById(
  db: Reader,
  id: string,
  now: number,
): Promise<{ user: User; key: UsedKey } | undefined> {
  const row = await db.selectFrom("api_key").select("hash").where("id", "=", id).executeTakeFirst();
  return row && findLivingKey(db, row.hash, now);
}

/** Records that a key was used, unless that was recorded after `before`. */
export async function noteKeyUse(tx: Tx, id: string, at: number, before: number): Promise<void> {
  await tx
    .updateTable("api_key")
    .set({ last_used_at: at })
    .where("id", "=", id)
    .where((e) => e.or([e("last_used_at", "is", null), e("last_used_at", "<", before)]))
    .execute();
}

export type NewApiKey = Omit<ApiKey, "lastUsedAt"> & { hash: string };
export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<void> {
  await tx
    .insertInto("api_key")
    .values({
      id: key.id,
      user_id: key.userId,
      project_id: key.projectId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      scopes: toJson(key.scopes),
      models: key.models && toJson(key.models),
      rate_per_minute: key.ratePerMinute,
      keeps_running: Number(key.keepsRunning),
      expires_at: key.expiresAt,
      last_used_at: null,
      revoked_at: null,
      created_at: key.createdAt,
    })
    .execute();
}

export type ApiKeyChange = {
  name?: string;
  scopes?: KeyScope[];
  models?: ModelRef[] | null;
  expiresAt?: number | null;
  ratePerMinute?: number;
  keepsRunning?: boolean;
} & ({ hash: string; prefix: string } | { hash?: undefined });

/** @returns false when the person has no such key, or it is revoked */
export async function updateApiKey(
  tx: Tx,
  userId: string,
  id: string,
  change: ApiKeyChange,
): Promise<boolean> {
  const set = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.scopes !== undefined && { scopes: toJson(change.scopes) }),
    ...(change.models !== undefined && { models: change.models && toJson(change.models) }),
    ...(change.expiresAt !== undefined && { expires_at: change.expiresAt }),
    ...(change.ratePerMinute !== undefined && { rate_per_minute: change.ratePerMinute }),
    ...(change.keepsRunning !== undefined && { keeps_running: Number(change.keepsRunning) }),
    ...(change.hash !== undefined && { hash: change.hash, prefix: change.prefix }),
  };
  if (Object.keys(set).length === 0) return (await listApiKeys(tx, { userId, id })).length > 0;
  const result = await tx
    .updateTable("api_key")
    .set(set)
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Revokes a person's key, or without `userId` anyone's.
 * @returns the owner's id; undefined when there was no key to revoke
 */
export async function revokeApiKey(
  tx: Tx,
  which: { id: string; userId?: string },
  at: number,
): Promise<string | undefined> {
  let query = tx
    .updateTable("api_key")
    .set({ revoked_at: at })
    .where("id", "=", which.id)
    .where("revoked_at", "is", null);
  if (which.userId !== undefined) query = query.where("user_id", "=", which.userId);
  return (await query.returning("user_id").executeTakeFirst())?.user_id;
}

/** A key with the names of its owner and project, and whether they are active. */
export type ListedKey = ApiKey & {
  ownerName: string;
  ownerEmail: string;
  projectName: string;
  isArchived: boolean;
  isMember: boolean;
};

/** Keys that nobody has revoked. */
const unrevokedKeys = (db: Reader) =>
  db.selectFrom("api_key").where("api_key.revoked_at", "is", null);

/** Joins owners and projects. Every key has both, so counting needs no join. */
const listedKeys = (found: ReturnType<typeof unrevokedKeys>) =>
  found
    .innerJoin("user", "user.id", "api_key.user_id")
    .innerJoin("project", "project.id", "api_key.project_id")
    .leftJoin("project_member", (join) =>
      join
        .onRef("project_member.project_id", "=", "api_key.project_id")
        .onRef("project_member.user_id", "=", "api_key.user_id"),
    )
    .selectAll("api_key")
    .select([
      "user.name as owner_name",
      "user.email as owner_email",
      "project.name as project_name",
      "project.archived_at",
    ])
    .select("project_member.role as role")
    .orderBy("api_key.id", "desc");
type ListedRow = Awaited<ReturnType<ReturnType<typeof listedKeys>["execute"]>>[number];

const toListedKey = (row: ListedRow): ListedKey => ({
  ...toApiKey(row),
  ownerName: row.owner_name,
  ownerEmail: row.owner_email,
  projectName: row.project_name,
  isArchived: row.archived_at !== null,
  isMember: row.role !== null,
});

/** Lists a person's keys, newest first. */
export async function listApiKeys(
  db: Reader,
  { userId, id }: { userId: string; id?: string },
): Promise<ListedKey[]> {
  let query = listedKeys(unrevokedKeys(db)).where("api_key.user_id", "=", userId);
  if (id !== undefined) query = query.where("api_key.id", "=", id);
  return (await query.execute()).map(toListedKey);
}

/** Returns a page of everyone's keys, newest first, and their total count. */
export async function listAllApiKeys(
  { read: db }: { read: Reader },
  { q, cursor, limit }: { q?: string; cursor?: string; limit: number },
): Promise<{ keys: ListedKey[]; next: string | null; count: number }> {
  const isNamed = hasPart(db, q, { names: ["api_key.name"], addresses: ["api_key.prefix"] });
  const isPerson = hasPart(db, q, { names: ["sought.name"], addresses: ["sought.email"] });
  const isProject = hasPart(db, q, { names: ["place.name"] });
  let found = unrevokedKeys(db);
  if (isNamed && isPerson && isProject)
    found = found.where((e) =>
      e.or([
        isNamed,
        e(
          "api_key.user_id",
          "in",
          e.selectFrom("user as sought").select("sought.id").where(isPerson),
        ),
        e(
          "api_key.project_id",
          "in",
          e.selectFrom("project as place").select("place.id").where(isProject),
        ),
      ]),
    );
  let query = listedKeys(found);
  if (cursor) {
    const [id] = fromCursor(cursor, ["string"]);
    query = query.where("api_key.id", "<", String(id));
  }
  const shown = page(await query.limit(limit + 1).execute(), limit, (row) => [row.id]);
  const count = await countFound(shown, cursor, () =>
    found.select((e) => e.fn.countAll<number>().as("n")).executeTakeFirstOrThrow(),
  );
  return { keys: shown.rows.map(toListedKey), next: shown.next, count };
}

/** Returns the total cost of each key's runs. */
export async function spentByKeys(
  db: Reader,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("ledger_entry")
    .select((e) => ["api_key_id", e.fn.sum<number | string>("micros").as("micros")])
    .where("api_key_id", "in", ids)
    .where("kind", "not in", ["hold", "release"])
    .groupBy("api_key_id")
    .execute();
  return new Map(rows.map((row) => [row.api_key_id ?? "", Number(row.micros)]));
}

const modelsRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("api_key").select("models").where("id", "=", id),
);
/**
 * Returns the models that a key is restricted to, for the unit that admits its runs; null for an
 * unrestricted key.
 */
export async function getModelsOfKey(db: Reader, id: string): Promise<ModelRef[] | null> {
  const [row] = await modelsRow(db, { id });
  return readModels(row?.models ?? null);
}

/** Returns a key's name even after it is revoked, because the work done with it shows the name. */
export const getKeyName = (
  db: Reader,
  id: string,
): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom("api_key").select(["id", "name"]).where("id", "=", id).executeTakeFirst();

/** Lists the owners of a project's keys, whose rights are checked again when it is archived. */
export async function listKeyOwners(db: Reader, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("api_key")
    .select("user_id")
    .distinct()
    .where("project_id", "=", projectId)
    .where("revoked_at", "is", null)
    .execute();
  return rows.map((row) => row.user_id);
}
