import { sentences } from "#contract/sentences/index.ts";
import type { Reader } from "../database/store.ts";

/**
 * Returns the names behind ids in the ledger, which may repeat. Something removed since has no
 * name.
 */
export async function namesOf(
  db: Reader,
  ids: {
    projects: readonly string[];
    people: readonly string[];
    connections: readonly string[];
    keys?: readonly string[];
  },
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  const read = async (
    table: "project" | "user" | "connection" | "api_key",
    given: readonly string[],
  ): Promise<void> => {
    const wanted = [...new Set(given)];
    if (wanted.length === 0) return;
    const rows = await db
      .selectFrom(table)
      .select(["id", "name"])
      .where("id", "in", wanted)
      .execute();
    for (const { id, name } of rows) named.set(id, name);
  };
  await Promise.all([
    read("project", ids.projects),
    read("user", ids.people),
    read("connection", ids.connections),
    read("api_key", ids.keys ?? []),
  ]);
  for (const id of await deletedOf(db, ids.projects)) {
    const name = named.get(id);
    if (name !== undefined) named.set(id, sentences.deletions.nameInBooks({ name }));
  }
  return named;
}

/** Names each model in the ledger, by its id when its connection's list no longer has it. */
export async function modelNamesOf(
  db: Reader,
  models: readonly { connection_id: string; model_id: string }[],
): Promise<(connectionId: string, modelId: string) => string> {
  const connectionIds = [...new Set(models.map((row) => row.connection_id))].filter(Boolean);
  const modelIds = [...new Set(models.map((row) => row.model_id))].filter(Boolean);
  const named = new Map<string, string>();
  if (connectionIds.length > 0 && modelIds.length > 0) {
    const rows = await db
      .selectFrom("model")
      .select(["connection_id", "model_id", "name"])
      .where("connection_id", "in", connectionIds)
      .where("model_id", "in", modelIds)
      .execute();
    for (const row of rows) named.set(`${row.connection_id} ${row.model_id}`, row.name);
  }
  return (connectionId, modelId) => named.get(`${connectionId} ${modelId}`) || modelId;
}

async function deletedOf(db: Reader, projectIds: readonly string[]): Promise<string[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom("deleted_project")
    .select("project_id")
    .where("project_id", "in", [...new Set(projectIds)])
    .execute();
  return rows.map((row) => row.project_id);
}

/** The person who reads the ledger, and the projects being read. */
export type BooksReader = {
  userId: string;
  projectIds: readonly string[];
  /** Whether the reader may see other people's API keys. */
  seesAllKeys: boolean;
};
type OfConnection = { user_id: string; connection_id: string | null };

/**
 * Decides whether a reader may see the connection and model of a ledger row. Another person's
 * personal connection is hidden, and so is a deleted one, because its owner is unknown.
 */
export async function nameableConnections(
  db: Reader,
  { userId }: BooksReader,
): Promise<(row: OfConnection) => boolean> {
  const rows = await db
    .selectFrom("connection")
    .select("id")
    .where((e) => e.or([e("scope", "!=", "user"), e("scope_id", "=", userId)]))
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  return (row) =>
    row.user_id === userId || (row.connection_id !== null && known.has(row.connection_id));
}

/** Whether a reader may see the name of a person's API key. */
export const mayNameKey = ({ userId, seesAllKeys }: BooksReader, ownerId: string | null): boolean =>
  seesAllKeys || ownerId === userId;
