import { type RawBuilder, sql } from "kysely";
import type { InstanceRole, ModelRef, ModelUsers } from "#contract/entities.ts";
import {
  type ModelRules,
  type ModelSubject,
  mayUseModel,
  modelSubjects,
} from "#domain/people/policy.ts";
import { prepared } from "../database/prepared.ts";
import type { Reader, Tx } from "../database/store.ts";
import { listUsableConnections, type SealedConnection } from "./connections.ts";

/** The person that a model is used for, and the project, if any. */
export type Asking = {
  userId: string;
  projectId?: string;
  /** The models that an API key is restricted to. */
  only?: readonly ModelRef[] | null;
};

export type AccessSettings = {
  /** Default access to models of shared connections that have no rule of their own. */
  modelsFor: "everyone" | "admins";
  /** Whether members may add their own connections. */
  membersConnect: boolean;
};

export async function getAccessSettings(db: Reader): Promise<AccessSettings> {
  const row = await db
    .selectFrom("instance")
    .select(["models_for", "members_connect"])
    .where("id", "=", 1)
    .executeTakeFirst();
  return {
    modelsFor: row?.models_for ?? "everyone",
    membersConnect: row === undefined || Number(row.members_connect) === 1,
  };
}

export async function updateAccessSettings(
  tx: Tx,
  { modelsFor, membersConnect }: Partial<AccessSettings>,
): Promise<void> {
  const set = {
    ...(modelsFor !== undefined && { models_for: modelsFor }),
    ...(membersConnect !== undefined && { members_connect: membersConnect ? 1 : 0 }),
  };
  if (Object.keys(set).length > 0)
    await tx.updateTable("instance").set(set).where("id", "=", 1).execute();
}

const standingRow = prepared((db, { userId }: { userId: string }) =>
  db
    .selectFrom("user")
    .leftJoin("instance", (join) => join.on("instance.id", "=", 1))
    .select(["user.role", "instance.models_for"])
    .where("user.id", "=", userId),
);
/**
 * The person's role with each rule for the model and its connection; a single row without a rule
 * when there are none.
 */
const rulesOfOne = prepared(
  (
    db,
    { userId, connectionId, modelId }: { userId: string; connectionId: string; modelId: string },
  ) =>
    db
      .selectFrom("user")
      .leftJoin("instance", (join) => join.on("instance.id", "=", 1))
      .leftJoin("model_access", (join) =>
        join
          .on("model_access.connection_id", "=", connectionId)
          .on("model_access.model_id", "in", ["", modelId]),
      )
      .select(["user.role", "instance.models_for", "model_access.model_id", "model_access.subject"])
      .where("user.id", "=", userId),
);

async function standingOf(
  db: Reader,
  userId: string,
): Promise<{ role: InstanceRole; ofInstance: ModelRules["ofInstance"] }> {
  const [row] = await standingRow(db, { userId });
  return { role: row?.role ?? "member", ofInstance: row?.models_for ?? "everyone" };
}

/** Whether a person may use this model, given that they may use its connection. */
export async function isModelOpen(
  db: Reader,
  { userId, projectId }: Asking,
  connection: Pick<SealedConnection, "id" | "scope">,
  modelId: string,
): Promise<boolean> {
  if (connection.scope !== "instance") return true;
  const rows = await rulesOfOne(db, { userId, connectionId: connection.id, modelId });
  const [first] = rows;
  if (!first) return false;
  const { role, models_for } = first;
  if (role !== "member") return true;
  const subjectsOf = (id: string) =>
    rows.flatMap((row) => (row.model_id === id && row.subject !== null ? [row.subject] : []));
  const rules = {
    ofModel: subjectsOf(modelId),
    ofConnection: subjectsOf(""),
    ofInstance: models_for ?? "everyone",
  };
  return mayUseModel(role, modelSubjects(userId, projectId), rules);
}

/**
 * The models of some connections that are open to a person: all models of the `open` connections,
 * except models with a rule of their own, which open only to `subjects`. `ruled` is false when no
 * model has a rule.
 */
export type ModelReach = { open: string[]; ruled: boolean; subjects: ModelSubject[] };

/** The condition that a model is open: by its own rule, or else by its connection. */
export function isReached({
  open,
  subjects,
}: Pick<ModelReach, "open" | "subjects">): RawBuilder<boolean> {
  const explicit = sql`select 1 from model_access as own where own.connection_id = model.connection_id and own.model_id = model.model_id`;
  const ofConnection =
    open.length > 0 ? sql`model.connection_id in (${sql.join(open)})` : sql`1 = 0`;
  return sql<boolean>`(exists (${explicit} and own.subject in (${sql.join(subjects)})) or (${ofConnection} and not exists (${explicit})))`;
}

/**
 * Returns the connections that a person may use in a project, or in general, and which of their
 * models are open.
 */
export async function findReach(
  db: Reader,
  asking: Asking,
): Promise<{ connections: SealedConnection[]; reach: ModelReach }> {
  const connections = await listUsableConnections(db, asking.userId, asking.projectId);
  return { connections, reach: await reachIn(db, asking, connections) };
}

async function reachIn(
  db: Reader,
  { userId, projectId }: Asking,
  connections: readonly SealedConnection[],
): Promise<ModelReach> {
  const all = connections.map(({ id }) => id);
  const subjects = modelSubjects(userId, projectId);
  const { role, ofInstance } = await standingOf(db, userId);
  if (role !== "member") return { open: all, ruled: false, subjects };
  const ofConnection = await rulesOfConnections(db);
  const isOpen = ({ id, scope }: SealedConnection): boolean =>
    scope !== "instance" ||
    mayUseModel(role, subjects, {
      ofModel: [],
      ofConnection: ofConnection.get(id) ?? [],
      ofInstance,
    });
  const ruled = await db
    .selectFrom("model_access")
    .select("subject")
    .where("model_id", "!=", "")
    .limit(1)
    .executeTakeFirst();
  return {
    open: connections.filter(isOpen).map(({ id }) => id),
    ruled: ruled !== undefined,
    subjects,
  };
}

async function rulesOfConnections(db: Reader): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom("model_access")
    .select(["connection_id", "subject"])
    .where("model_id", "=", "")
    .execute();
  const subjects = new Map<string, string[]>();
  for (const row of rows)
    subjects.set(row.connection_id, [...(subjects.get(row.connection_id) ?? []), row.subject]);
  return subjects;
}

/** Converts a rule to rows. No rows means no rule, and then the next broader one applies. */
function toSubjects(users: ModelUsers | null): string[] {
  if (users === null) return [];
  if (users.who !== "these") return [users.who];
  const subjects = [
    ...users.userIds.map((id) => `user:${id}`),
    ...users.projectIds.map((id) => `project:${id}`),
  ];
  // An empty list leaves the model to admins, who may always use it.
  return subjects.length > 0 ? [...new Set(subjects)] : ["admins"];
}

function toModelUsers(subjects: readonly string[]): ModelUsers | null {
  if (subjects.length === 0) return null;
  if (subjects.includes("everyone")) return { who: "everyone" };
  const idsOf = (kind: string) =>
    subjects.flatMap((one) => (one.startsWith(kind) ? [one.slice(kind.length)] : []));
  const [userIds, projectIds] = [idsOf("user:"), idsOf("project:")];
  return userIds.length + projectIds.length === 0
    ? { who: "admins" }
    : { who: "these", userIds, projectIds };
}

/**
 * Call in the unit that changes models of these connections or their access rules. It invalidates
 * caches of them.
 */
export async function raiseModelsVersion(tx: Tx, connectionIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(connectionIds)].sort())
    await tx
      .updateTable("connection")
      .set((e) => ({ models_version: e("models_version", "+", 1) }))
      .where("id", "=", id)
      .execute();
}

const rowsAtOnce = 500;

/**
 * Sets access to these models; null removes their rules. Without a `modelId`, the rule covers every
 * model of the connection.
 */
export async function setModelUsers(
  tx: Tx,
  of: readonly (Pick<ModelRef, "connectionId"> & { modelId?: string })[],
  users: ModelUsers | null,
): Promise<void> {
  const subjects = toSubjects(users);
  await raiseModelsVersion(
    tx,
    of.map(({ connectionId }) => connectionId),
  );
  for (const [connectionId, refs] of Map.groupBy(of, (one) => one.connectionId)) {
    const modelIds = [...new Set(refs.map(({ modelId }) => modelId ?? ""))];
    for (let first = 0; first < modelIds.length; first += rowsAtOnce) {
      const some = modelIds.slice(first, first + rowsAtOnce);
      await tx
        .deleteFrom("model_access")
        .where("connection_id", "=", connectionId)
        .where("model_id", "in", some)
        .execute();
    }
    const rows = modelIds.flatMap((modelId) =>
      subjects.map((subject) => ({ connection_id: connectionId, model_id: modelId, subject })),
    );
    for (let first = 0; first < rows.length; first += rowsAtOnce)
      await tx
        .insertInto("model_access")
        .values(rows.slice(first, first + rowsAtOnce))
        .execute();
  }
}

/** Returns the models' own rules, by `connectionId/modelId`. */
export async function listModelUsers(
  db: Reader,
  refs: readonly ModelRef[],
): Promise<Map<string, ModelUsers>> {
  if (refs.length === 0) return new Map();
  const rows = await db
    .selectFrom("model_access")
    .selectAll()
    .where((e) =>
      e(
        e.refTuple("connection_id", "model_id"),
        "in",
        refs.map((ref) => e.tuple(ref.connectionId, ref.modelId)),
      ),
    )
    .execute();
  return usersBy(rows, (row) => `${row.connection_id}/${row.model_id}`);
}

/** Returns the rules of whole connections, by id. */
export async function listConnectionUsers(db: Reader): Promise<Map<string, ModelUsers>> {
  const rows = await db.selectFrom("model_access").selectAll().where("model_id", "=", "").execute();
  return usersBy(rows, (row) => row.connection_id);
}

function usersBy<Row extends { subject: string }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, ModelUsers> {
  const explicit = new Map<string, ModelUsers>();
  for (const [key, of] of Map.groupBy(rows, keyOf)) {
    const users = toModelUsers(of.map(({ subject }) => subject));
    if (users) explicit.set(key, users);
  }
  return explicit;
}
