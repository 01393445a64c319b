import type { ExpressionBuilder } from "kysely";
import { aliasKind } from "#contract/aliases.ts";
import { type Connection, cleanText } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { fromJson, toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { ConnectionRow, Database } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

/**
 * Numbers of concurrent runs: set by a person, null for the default, and as reported by the server
 * itself.
 */
export type Slots = { text: number | null; media: number | null; said: number | null };

/** A connection with its sealed secret, for use inside the engine only. */
export type SealedConnection = Connection & { sealedSecret: string | null; places: Slots };

/** The columns that are read of a connection. */
export const sealedColumns = [
  "id",
  "slug",
  "kind",
  "name",
  "scope",
  "scope_id",
  "base_urls",
  "options",
  "secret",
  "status",
  "status_detail",
  "checked_at",
  "created_by",
  "created_at",
  "text_places",
  "media_places",
  "said_places",
] as const satisfies readonly (keyof ConnectionRow)[];
export type SealedRow = Pick<ConnectionRow, (typeof sealedColumns)[number]>;

export const toSealed = (row: SealedRow): SealedConnection => ({
  id: row.id,
  slug: row.slug,
  kind: row.kind,
  name: row.name,
  scope: row.scope,
  scopeId: row.scope_id,
  baseUrls: fromJson(row.base_urls),
  options: fromJson(row.options),
  hasSecret: row.secret !== null,
  status: row.status,
  statusDetail: row.status_detail,
  checkedAt: row.checked_at,
  createdBy: row.created_by,
  createdAt: row.created_at,
  sealedSecret: row.secret,
  places: toSlots(row),
});

export const toSlots = (
  row: Pick<ConnectionRow, "text_places" | "media_places" | "said_places">,
): Slots => ({
  text: row.text_places,
  media: row.media_places,
  said: row.said_places,
});

/** Removes the secret, and moves the slots into the options, where the form edits them. */
export function toConnection(sealed: SealedConnection): Connection {
  const { sealedSecret: _, places, ...connection } = sealed;
  return {
    ...connection,
    options: {
      ...(connection.options as JsonObject),
      textPlaces: places.text,
      mediaPlaces: places.media,
    },
  };
}

/** Counts the connections that the instance, a person or a project has. */
export async function countConnections(
  db: Reader,
  { scope, scopeId }: Pick<Connection, "scope" | "scopeId">,
): Promise<number> {
  const { n } = await db
    .selectFrom("connection")
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("scope", "=", scope)
    .where("scope_id", scopeId === null ? "is" : "=", scopeId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export async function insertConnection(
  tx: Tx,
  connection: {
    id: string;
    slug: string;
    kind: string;
    name: string;
    scope: Connection["scope"];
    scopeId: string | null;
    baseUrls: Record<string, string>;
    options: JsonObject;
    sealedSecret: string | null;
    places: Pick<Slots, "text" | "media">;
    createdBy: string | null;
    at: number;
  },
): Promise<SealedConnection> {
  const row: ConnectionRow = {
    id: connection.id,
    slug: connection.slug,
    kind: connection.kind,
    name: connection.name,
    scope: connection.scope,
    scope_id: connection.scopeId,
    base_urls: toJson(connection.baseUrls),
    options: toJson(connection.options),
    secret: connection.sealedSecret,
    status: "unchecked",
    status_detail: null,
    text_places: connection.places.text,
    media_places: connection.places.media,
    said_places: null,
    text_turn: null,
    media_turn: null,
    checked_at: null,
    listed_at: null,
    models_version: 0,
    created_by: connection.createdBy,
    created_at: connection.at,
  };
  await tx.insertInto("connection").values(row).execute();
  return toSealed(row);
}

const findRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("connection").selectAll().where("id", "=", id),
);

/** Locks the connection's row until the unit ends, for decisions about all of its runs. */
export async function lockConnection(tx: Tx, id: string): Promise<void> {
  await tx
    .selectFrom("connection")
    .select("id")
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function getConnection(db: Reader, id: string): Promise<SealedConnection | undefined> {
  const [row] = await findRow(db, { id });
  return row && toSealed(row);
}

export async function findConnectionByKind(
  db: Reader,
  kind: string,
): Promise<SealedConnection | undefined> {
  const row = await db
    .selectFrom("connection")
    .selectAll()
    .where("kind", "=", kind)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && toSealed(row);
}

export type ConnectionChange = Partial<{
  name: string;
  baseUrls: Record<string, string>;
  options: JsonObject;
  sealedSecret: string | null;
  status: Connection["status"];
  statusDetail: string | null;
  checkedAt: number;
  /** Null: the connection may now list other models, and its next list counts as its first. */
  listedAt: null;
  places: Partial<Slots>;
}>;

export async function updateConnection(
  tx: Tx,
  id: string,
  change: ConnectionChange,
): Promise<SealedConnection | undefined> {
  const set: Partial<ConnectionRow> = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.baseUrls !== undefined && { base_urls: toJson(change.baseUrls) }),
    ...(change.options !== undefined && { options: toJson(change.options) }),
    ...(change.sealedSecret !== undefined && { secret: change.sealedSecret }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.statusDetail !== undefined && {
      status_detail: change.statusDetail && cleanText(change.statusDetail),
    }),
    ...(change.checkedAt !== undefined && { checked_at: change.checkedAt }),
    ...(change.listedAt !== undefined && { listed_at: change.listedAt }),
    ...(change.places?.text !== undefined && { text_places: change.places.text }),
    ...(change.places?.media !== undefined && { media_places: change.places.media }),
    ...(change.places?.said !== undefined && { said_places: change.places.said }),
  };
  const row = await tx
    .updateTable("connection")
    .set(set)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row && toSealed(row);
}

/** The connections a person may use: the instance's, their own, and those of this project. */
const usable = (db: Reader, userId: string, projectId?: string) =>
  db
    .selectFrom("connection")
    .selectAll()
    .where((e) =>
      e.or([
        e("scope", "=", "instance"),
        e.and([e("scope", "=", "user"), e("scope_id", "=", userId)]),
        ...(projectId ? [e.and([e("scope", "=", "project"), e("scope_id", "=", projectId)])] : []),
      ]),
    );

/** Like `usable`, for a connection that was already read. */
export const isUsableBy = (
  { scope, scopeId }: Pick<Connection, "scope" | "scopeId">,
  userId: string,
  projectId: string,
): boolean => scope === "instance" || scopeId === (scope === "user" ? userId : projectId);

const usableRows = prepared(
  (db, { userId, projectId }: { userId: string; projectId: string | undefined }) =>
    usable(db, userId, projectId).orderBy("id"),
);

export async function listUsableConnections(
  db: Reader,
  userId: string,
  projectId?: string,
): Promise<SealedConnection[]> {
  return (await usableRows(db, { userId, projectId })).map(toSealed);
}

/**
 * Lists the instance's connections, which everyone may use as far as their models are open to them.
 */
export async function listSharedConnections(db: Reader): Promise<SealedConnection[]> {
  return (
    await db
      .selectFrom("connection")
      .selectAll()
      .where("scope", "=", "instance")
      .orderBy("id")
      .execute()
  ).map(toSealed);
}

const findUsable = prepared(
  (db, { id, userId, projectId }: { id: string; userId: string; projectId: string }) =>
    usable(db, userId, projectId).where("id", "=", id),
);

export async function getUsableConnection(
  db: Reader,
  id: string,
  userId: string,
  projectId: string,
): Promise<SealedConnection | undefined> {
  const [row] = await findUsable(db, { id, userId, projectId });
  return row && toSealed(row);
}

/** Returns the options of the instance's connections of one kind, which only admins set. */
export async function listOptionsOfKind(db: Reader, kind: string): Promise<JsonObject[]> {
  const rows = await db
    .selectFrom("connection")
    .select("options")
    .where("kind", "=", kind)
    .where("scope", "=", "instance")
    .where("status", "!=", "disabled")
    .execute();
  return rows.map(({ options }) => fromJson<JsonObject>(options));
}

export async function slugExists(db: Reader, slug: string): Promise<boolean> {
  return (
    (await db.selectFrom("connection").select("id").where("slug", "=", slug).executeTakeFirst()) !==
    undefined
  );
}

const lockRow = prepared((db, { id }: { id: string }) =>
  db.selectFrom("connection").select("status").where("id", "=", id).forKeyShare(),
);

/**
 * Returns which of these connections exist and are enabled. None of them can be deleted before the
 * caller's unit ends.
 */
export async function lockConnections(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const kept = new Set<string>();
  for (const id of [...new Set(ids)].sort()) {
    const [row] = await lockRow(tx, { id });
    if (row && row.status !== "disabled") kept.add(id);
  }
  return kept;
}

/**
 * Records the result of a check, unless the connection was disabled or changed since it was read.
 * @returns undefined when nothing was written
 */
export async function recordCheck(
  tx: Tx,
  seen: SealedConnection,
  found: { status: "ok" | "failing"; statusDetail: string | null; checkedAt: number },
): Promise<SealedConnection | undefined> {
  const row = await tx
    .updateTable("connection")
    .set({
      status: found.status,
      status_detail: found.statusDetail && cleanText(found.statusDetail),
      checked_at: found.checkedAt,
    })
    .where(isAsSeen(seen))
    .where("status", "!=", "disabled")
    .returningAll()
    .executeTakeFirst();
  return row && toSealed(row);
}

/**
 * Records that the list of models was read completely, unless the connection has changed since it
 * was read. Models that join the list later are new.
 */
export async function recordList(
  tx: Tx,
  seen: SealedConnection,
  { at, runsAtOnce }: { at: number; runsAtOnce: number | null },
): Promise<void> {
  if (runsAtOnce !== seen.places.said)
    await tx
      .updateTable("connection")
      .set({ said_places: runsAtOnce })
      .where(isAsSeen(seen))
      .execute();
  await tx
    .updateTable("connection")
    .set({ listed_at: at })
    .where(isAsSeen(seen))
    .where("listed_at", "is", null)
    .execute();
}

const isAsSeen = (seen: SealedConnection) => (e: ExpressionBuilder<Database, "connection">) =>
  e.and([
    e("id", "=", seen.id),
    e("base_urls", "=", toJson(seen.baseUrls)),
    e("options", "=", toJson(seen.options)),
    e("secret", seen.sealedSecret === null ? "is" : "=", seen.sealedSecret),
  ]);

/**
 * Deletes a connection and its models.
 * @returns false while it has open runs, which need it
 */
export async function removeConnection(tx: Tx, id: string): Promise<boolean> {
  await tx
    .selectFrom("connection")
    .select("id")
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  const open = await tx
    .selectFrom("run")
    .select("id")
    .where("connection_id", "=", id)
    .where("finished_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (open) return false;
  await tx.deleteFrom("connection").where("id", "=", id).execute();
  return true;
}

export async function listConnectionIds(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom("connection")
    .select("id")
    .where("status", "!=", "disabled")
    // The connection of aliases has no service.
    .where("kind", "!=", aliasKind)
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}
