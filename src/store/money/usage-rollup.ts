import { sql } from "kysely";
import { prepared } from "../database/prepared.ts";
import type {
  UsageDayRow,
  UsageKeyDayRow,
  UsageKeyMonthRow,
  UsageMonthRow,
} from "../database/schema.ts";
import type { Store, Tx } from "../database/store.ts";

/** The key of a usage row: who used which model, and where. */
export type UsageOfModel = {
  projectId: string;
  userId: string;
  connectionId: string;
  modelId: string;
};

const columnsOf = ({ projectId, userId, connectionId, modelId }: UsageOfModel) => ({
  project_id: projectId,
  user_id: userId,
  connection_id: connectionId,
  model_id: modelId,
});

type Counts = { runs: number; tokens: number; micros: number };

/** Increments each count of an existing row. */
function plusEach(table: string, { runs, tokens, micros }: Counts) {
  const more = (column: keyof Counts, by: number) =>
    sql<number>`${sql.ref(`${table}.${column}`)} + ${by}`;
  return {
    runs: more("runs", runs),
    tokens: more("tokens", tokens),
    micros: more("micros", micros),
  };
}

const modelColumns = ["project_id", "user_id", "connection_id", "model_id"] as const;

const addToDay = prepared((db, row: UsageDayRow) =>
  db
    .insertInto("usage_day")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["day", ...modelColumns]).doUpdateSet(plusEach("usage_day", row)),
    ),
);
const addToMonth = prepared((db, row: UsageMonthRow) =>
  db
    .insertInto("usage_month")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["month", ...modelColumns]).doUpdateSet(plusEach("usage_month", row)),
    ),
);
const addToKeyDay = prepared((db, row: UsageKeyDayRow) =>
  db
    .insertInto("usage_key_day")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["day", "api_key_id"]).doUpdateSet(plusEach("usage_key_day", row)),
    ),
);
const addToKeyMonth = prepared((db, row: UsageKeyMonthRow) =>
  db
    .insertInto("usage_key_month")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["month", "api_key_id"]).doUpdateSet(plusEach("usage_key_month", row)),
    ),
);

/**
 * Updates the rollups by day and by month that usage reads, in the unit that books the cost, and
 * for a run by key also the key's own. `day` is the UTC date. Additional money for a counted run
 * comes with no run and no tokens.
 */
export async function addUsage(
  tx: Tx,
  {
    day,
    runs,
    tokens,
    micros,
    apiKeyId,
    ...of
  }: UsageOfModel & Counts & { apiKeyId: string | null; day: string },
): Promise<void> {
  const row = { ...columnsOf(of), runs, tokens, micros };
  await addToDay(tx, { ...row, day });
  await addToMonth(tx, { ...row, month: day.slice(0, 7) });
  if (apiKeyId === null) return;
  const ofKey = { api_key_id: apiKeyId, project_id: of.projectId, runs, tokens, micros };
  await addToKeyDay(tx, { ...ofKey, day });
  await addToKeyMonth(tx, { ...ofKey, month: day.slice(0, 7) });
}

/**
 * Sums the money booked and counts the runs settled on a UTC date. PostgreSQL returns sums as text.
 */
function bookedOn(tx: Tx, day: string) {
  const from = Date.parse(`${day}T00:00:00Z`);
  return tx
    .selectFrom("ledger_entry")
    .select((e) => [
      e.fn.sum<number | string | null>("micros").as("micros"),
      e.fn.count<number | string>("settlement").as("runs"),
    ])
    .where("kind", "not in", ["hold", "release"])
    .where("at", ">=", from)
    .where("at", "<", from + 86_400_000);
}

/**
 * Recounts the money of a usage day from the ledger, while nobody writes to it. `day` is the UTC
 * date.
 */
export async function recountUsage(
  store: Store,
  tx: Tx,
  key: UsageOfModel & { day: string },
): Promise<void> {
  await store.lockBooks(tx, "alone");
  const booked = await bookedOn(tx, key.day)
    .where("project_id", "=", key.projectId)
    .where("user_id", "=", key.userId)
    .where("connection_id", "=", key.connectionId)
    .where("model_id", "=", key.modelId)
    .executeTakeFirst();
  const micros = Number(booked?.micros ?? 0);
  await tx
    .insertInto("usage_day")
    .values({ ...columnsOf(key), day: key.day, runs: Number(booked?.runs ?? 0), tokens: 0, micros })
    .onConflict((conflict) => conflict.columns(["day", ...modelColumns]).doUpdateSet({ micros }))
    .execute();
  await recountMonth(tx, { ...key, month: key.day.slice(0, 7) });
}

const summed = <Column extends keyof Counts>(column: Column) =>
  sql<number | string | null>`sum(${sql.ref(column)})`.as(column);
const toCounts = (
  sums: { [Column in keyof Counts]: number | string | null } | undefined,
): Counts => ({
  runs: Number(sums?.runs ?? 0),
  tokens: Number(sums?.tokens ?? 0),
  micros: Number(sums?.micros ?? 0),
});

/** Sets a month of usage to the sum of its days. */
export async function recountMonth(
  tx: Tx,
  { month, ...of }: UsageOfModel & { month: string },
): Promise<void> {
  const { project_id, user_id, connection_id, model_id } = columnsOf(of);
  const days = await tx
    .selectFrom("usage_day")
    .select([summed("runs"), summed("tokens"), summed("micros")])
    .where(sql<string>`substr(day, 1, 7)`, "=", month)
    .where("project_id", "=", project_id)
    .where("user_id", "=", user_id)
    .where("connection_id", "=", connection_id)
    .where("model_id", "=", model_id)
    .executeTakeFirst();
  const sums = toCounts(days);
  await tx
    .insertInto("usage_month")
    .values({ month, project_id, user_id, connection_id, model_id, ...sums })
    .onConflict((conflict) => conflict.columns(["month", ...modelColumns]).doUpdateSet(sums))
    .execute();
}

/** An API key and the project it belongs to. */
export type UsageOfKey = { apiKeyId: string; projectId: string };

/**
 * Recounts the money of a key's day from the ledger, while nobody writes to it. `day` is the UTC
 * date.
 */
export async function recountKeyUsage(
  store: Store,
  tx: Tx,
  { day, apiKeyId, projectId }: UsageOfKey & { day: string },
): Promise<void> {
  await store.lockBooks(tx, "alone");
  const booked = await bookedOn(tx, day).where("api_key_id", "=", apiKeyId).executeTakeFirst();
  const micros = Number(booked?.micros ?? 0);
  await tx
    .insertInto("usage_key_day")
    .values({
      day,
      api_key_id: apiKeyId,
      project_id: projectId,
      runs: Number(booked?.runs ?? 0),
      tokens: 0,
      micros,
    })
    .onConflict((conflict) => conflict.columns(["day", "api_key_id"]).doUpdateSet({ micros }))
    .execute();
  await recountKeyMonth(tx, { apiKeyId, projectId, month: day.slice(0, 7) });
}

/** Sets a key's month to the sum of its days. */
export async function recountKeyMonth(
  tx: Tx,
  { month, apiKeyId, projectId }: UsageOfKey & { month: string },
): Promise<void> {
  const days = await tx
    .selectFrom("usage_key_day")
    .select([summed("runs"), summed("tokens"), summed("micros")])
    .where(sql<string>`substr(day, 1, 7)`, "=", month)
    .where("api_key_id", "=", apiKeyId)
    .executeTakeFirst();
  const sums = toCounts(days);
  await tx
    .insertInto("usage_key_month")
    .values({ month, api_key_id: apiKeyId, project_id: projectId, ...sums })
    .onConflict((conflict) => conflict.columns(["month", "api_key_id"]).doUpdateSet(sums))
    .execute();
}
