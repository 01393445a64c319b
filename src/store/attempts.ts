import { cleanText } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { fromJson, fromJsonOrNull, toJson } from "./json.ts";
import { prepared } from "./prepared.ts";
import type { AttemptRow, OutputRow } from "./schema.ts";
import type { Reader, Tx } from "./store.ts";

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
export type Output = {
  runId: string;
  index: number;
  remoteUrl: string | null;
  expiresAt: number | null;
  state: OutputRow["state"];
  bytes: number | null;
  /** Of a file that is not stored yet: what it will have, where its bytes came with the answer. */
  sha256: string | null;
  assetId: string | null;
  name: string;
  facts: OutputFacts;
};
export type OutputFacts = {
  mime?: string;
  width?: number;
  height?: number;
  durationMs?: number;
  size?: number;
  sha256?: string;
  needsKey?: true;
};

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
const toOutput = (row: OutputRow): Output => ({
  runId: row.run_id,
  index: row.index,
  remoteUrl: row.remote_url,
  expiresAt: row.expires_at,
  state: row.state,
  bytes: row.bytes,
  sha256: row.sha256,
  assetId: row.asset_id,
  name: row.name,
  facts: fromJson(row.facts),
});

export async function listAttempts(db: Reader, runId: string): Promise<Attempt[]> {
  return (await db.selectFrom("attempt").selectAll().where("run_id", "=", runId).orderBy("number").execute()).map(toAttempt);
}

const lastRow = prepared((db, { runId }: { runId: string }) =>
  db.selectFrom("attempt").selectAll().where("run_id", "=", runId).orderBy("number", "desc").limit(1),
);
const updateRow = prepared((db, { ofRun, ofNumber, ...set }: Partial<AttemptRow> & { ofRun: string; ofNumber: number }) =>
  db.updateTable("attempt").set(set).where("run_id", "=", ofRun).where("number", "=", ofNumber),
);

export async function lastAttempt(db: Reader, runId: string): Promise<Attempt | undefined> {
  const [row] = await lastRow(db, { runId });
  return row && toAttempt(row);
}

/** The run whose job at this connection has the provider's id. */
export async function findRunOfJob(db: Reader, connectionId: string, requestId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("attempt")
    .innerJoin("run", "run.id", "attempt.run_id")
    .select("run.id")
    .where("attempt.provider_request_id", "=", requestId)
    .where("run.connection_id", "=", connectionId)
    .executeTakeFirst();
  return row?.id;
}

const insertRow = prepared((db, row: AttemptRow) => db.insertInto("attempt").values(row));

/** A new attempt of a run, committed before anything is sent. The run's own row is to be written first in the unit. */
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

export async function updateAttempt(tx: Tx, runId: string, number: number, set: Partial<AttemptRow>): Promise<void> {
  const cleaned = set.provider_request_id ? { ...set, provider_request_id: cleanText(set.provider_request_id) } : set;
  await updateRow(tx, { ...cleaned, ofRun: runId, ofNumber: number });
}

/** A row for each file that the provider promised; once, however often it is asked. Its words are the provider's: what no database keeps is taken out. */
export async function promiseOutputs(
  tx: Tx,
  runId: string,
  outputs: readonly { name: string; remoteUrl: string | null; expiresAt: number | null; sha256: string | null; facts: OutputFacts }[],
): Promise<void> {
  if (outputs.length === 0) return;
  await tx
    .insertInto("output")
    .values(
      outputs.map((output, index) => ({
        run_id: runId,
        index,
        remote_url: output.remoteUrl && cleanText(output.remoteUrl),
        expires_at: output.expiresAt,
        state: "promised" as const,
        bytes: null,
        sha256: output.sha256,
        asset_id: null,
        name: cleanText(output.name),
        facts: toJson(output.facts),
        input: null,
      })),
    )
    .onConflict((conflict) => conflict.columns(["run_id", "index"]).doNothing())
    .execute();
}

export async function updateOutput(tx: Tx, runId: string, index: number, set: Partial<OutputRow>): Promise<void> {
  await tx.updateTable("output").set(set).where("run_id", "=", runId).where("index", "=", index).execute();
}

/** One more output of a run, already stored, with what it was made of: of a live session, which promises none. @returns its place */
export async function insertOutput(
  tx: Tx,
  runId: string,
  output: { name: string; bytes: number; sha256: string; assetId: string; input: JsonObject },
): Promise<number> {
  const row = await tx
    .selectFrom("output")
    .select((e) => e.fn.max<number | null>("index").as("last"))
    .where("run_id", "=", runId)
    .executeTakeFirst();
  const index = Number(row?.last ?? -1) + 1;
  await tx
    .insertInto("output")
    .values({
      run_id: runId,
      index,
      remote_url: null,
      expires_at: null,
      state: "stored",
      bytes: output.bytes,
      sha256: output.sha256,
      asset_id: output.assetId,
      name: cleanText(output.name),
      facts: "{}",
      input: toJson(output.input),
    })
    .execute();
  return index;
}

/** What certain outputs were made of, by their assets: of those whose run's own input does not tell. */
export async function inputsOfOutputs(db: Reader, assetIds: readonly string[]): Promise<Map<string, JsonObject>> {
  if (assetIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("asset")
    .innerJoin("output", (on) => on.onRef("output.run_id", "=", "asset.run_id").onRef("output.index", "=", "asset.output_index"))
    .select(["asset.id", "output.input"])
    .where("asset.id", "in", assetIds)
    .where("output.input", "is not", null)
    .execute();
  return new Map(rows.flatMap(({ id, input }) => (input === null ? [] : [[id, fromJson<JsonObject>(input)]])));
}

export async function listOutputs(db: Reader, runId: string): Promise<Output[]> {
  return (await db.selectFrom("output").selectAll().where("run_id", "=", runId).orderBy("index").execute()).map(toOutput);
}
