import { cleanText } from "#contract/entities.ts";
import { fromJsonOrNull } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { AttemptRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

export type Attempt = {
  runId: string;
  number: number;
  clientToken: string;
  providerRequestId: string | null;
  providerUrls: Record<string, string> | null;
  state: AttemptRow["state"];
  bytesWritten: number | null;
  httpStatus: number | null;
  sentAt: number | null;
  acceptedAt: number | null;
  endedAt: number | null;
};

/**
 * Whether the provider is known not to have accepted the attempt. A signed webhook that named a job
 * of a refused attempt, and with it the job's addresses, proves otherwise.
 */
export const isRefused = ({
  state,
  providerUrls,
}: Pick<Attempt, "state" | "providerUrls">): boolean =>
  state === "refused" && providerUrls === null;

/**
 * Whether the attempt was still making free requests, such as uploads, when its server died. Its
 * paid request was not sent.
 */
export const isUnsent = ({
  state,
  bytesWritten,
  providerRequestId,
}: Pick<Attempt, "state" | "bytesWritten" | "providerRequestId">): boolean =>
  state === "committed" && bytesWritten === 0 && providerRequestId === null;

/** Statuses of a provider's overload, after which the same request is sent again later. */
const overloads: readonly number[] = [503, 529];
/** The same with a rate limit. */
export const passingStatuses: readonly number[] = [429, ...overloads];

const toAttempt = (row: AttemptRow): Attempt => ({
  runId: row.run_id,
  number: row.number,
  clientToken: row.client_token,
  providerRequestId: row.provider_request_id,
  providerUrls: fromJsonOrNull(row.provider_urls),
  state: row.state,
  bytesWritten: row.bytes_written,
  httpStatus: row.http_status,
  sentAt: row.sent_at,
  acceptedAt: row.accepted_at,
  endedAt: row.ended_at,
});

export async function listAttempts(db: Reader, runId: string): Promise<Attempt[]> {
  return (
    await db
      .selectFrom("attempt")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("number")
      .execute()
  ).map(toAttempt);
}

const lastRow = prepared((db, { runId }: { runId: string }) =>
  db
    .selectFrom("attempt")
    .selectAll()
    .where("run_id", "=", runId)
    .orderBy("number", "desc")
    .limit(1),
);
const updateRow = prepared(
  (db, { ofRun, ofNumber, ...set }: Partial<AttemptRow> & { ofRun: string; ofNumber: number }) =>
    db.updateTable("attempt").set(set).where("run_id", "=", ofRun).where("number", "=", ofNumber),
);

export async function lastAttempt(db: Reader, runId: string): Promise<Attempt | undefined> {
  const [row] = await lastRow(db, { runId });
  return row && toAttempt(row);
}

/** Finds the run whose job on this connection has the provider's id. */
export async function findRunOfJob(
  db: Reader,
  connectionId: string,
  requestId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("attempt")
    .innerJoin("run", "run.id", "attempt.run_id")
    .select("run.id")
    .where("attempt.provider_request_id", "=", requestId)
    .where("run.connection_id", "=", connectionId)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Whether an answer of the conversation after a message failed with a 5xx of the connection's own
 * format, which isn't an overload.
 */
export async function hasOwnErrorSince(
  db: Reader,
  { conversationId, messageId }: { conversationId: string; messageId: string },
  connectionId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("message")
    .innerJoin("run", "run.id", "message.run_id")
    .innerJoin("attempt", "attempt.run_id", "run.id")
    .select("message.id")
    .where("message.conversation_id", "=", conversationId)
    .where("message.id", ">", messageId)
    .where("run.connection_id", "=", connectionId)
    .where("attempt.state", "=", "refused")
    .where("attempt.http_status", ">=", 500)
    .where("attempt.http_status", "not in", overloads)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const insertRow = prepared((db, row: AttemptRow) => db.insertInto("attempt").values(row));

/**
 * Inserts a new attempt of a run, committed before anything is sent. The unit must write the run's
 * own row first.
 */
export async function insertAttempt(
  tx: Tx,
  attempt: { runId: string; number: number; requestHash: string; clientToken: string },
): Promise<void> {
  await insertRow(tx, {
    run_id: attempt.runId,
    number: attempt.number,
    request_hash: attempt.requestHash,
    client_token: attempt.clientToken,
    provider_request_id: null,
    provider_urls: null,
    state: "committed",
    bytes_written: null,
    http_status: null,
    sent_at: null,
    accepted_at: null,
    ended_at: null,
  });
}

export async function updateAttempt(
  tx: Tx,
  runId: string,
  number: number,
  set: Partial<AttemptRow>,
): Promise<void> {
  const cleaned = set.provider_request_id
    ? { ...set, provider_request_id: cleanText(set.provider_request_id) }
    : set;
  await updateRow(tx, { ...cleaned, ofRun: runId, ofNumber: number });
}
