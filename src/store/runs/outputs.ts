import { cleanText } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { OutputRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { lockRun } from "./runs.ts";

export type Output = {
  runId: string;
  index: number;
  remoteUrl: string | null;
  expiresAt: number | null;
  state: OutputRow["state"];
  bytes: number | null;
  /**
   * For a file that isn't stored yet: the expected hash, known when the answer included the bytes.
   */
  sha256: string | null;
  assetId: string | null;
  name: string;
  facts: OutputFacts;
};
type OutputFacts = {
  mime?: string;
  width?: number;
  height?: number;
  durationMs?: number;
  size?: number;
  sha256?: string;
  needsKey?: true;
  /**
   * The attempt that made the file, when that attempt went to a different model behind the run's
   * alias than the final one.
   */
  attempt?: number;
};

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

/** A file that a provider promised or delivered; `sha256` is set once its bytes are here. */
export type DeclaredOutput = {
  name: string;
  remoteUrl: string | null;
  expiresAt: number | null;
  sha256: string | null;
  facts: OutputFacts;
};

/**
 * Whether a file is the one recorded in the row at its index. Bytes are compared by hash only: a
 * result that is requested again may have a new URL.
 */
const isSame = (row: Output, file: DeclaredOutput): boolean =>
  row.sha256 === null || file.sha256 === null || row.sha256 === file.sha256;

/**
 * Records a row for each file of a run's answer. A file that arrives repeatedly has one row; a
 * different file for a taken index, as in a late answer, gets the next free index. Provider text is
 * cleaned of characters that no database stores.
 * @returns the rows of the files, in order
 */
export async function promiseOutputs(
  tx: Tx,
  runId: string,
  files: readonly DeclaredOutput[],
): Promise<Output[]> {
  if (files.length === 0) return [];
  // Serializes concurrent calls for the same run.
  await lockRun(tx, runId);
  const free = await listOutputs(tx, runId);
  let next = Math.max(files.length, ...free.map(({ index }) => index + 1));
  const taken = new Set(free.map(({ index }) => index));
  const take = (isIt: (row: Output) => boolean): Output | undefined => {
    const at = free.findIndex(isIt);
    return at < 0 ? undefined : free.splice(at, 1)[0];
  };
  const placed: Output[] = [];
  for (const [index, file] of files.entries()) {
    const known =
      take((row) => row.index === index && isSame(row, file)) ??
      take((row) => row.sha256 !== null && row.sha256 === file.sha256 && !isPlaceOf(files, row));
    placed.push(known ?? (await insertPromise(tx, runId, taken.has(index) ? next++ : index, file)));
  }
  return placed;
}

/** Appends a row for each file of a further answer to the same run. */
export async function addPromises(
  tx: Tx,
  runId: string,
  files: readonly DeclaredOutput[],
): Promise<void> {
  await lockRun(tx, runId);
  const next = ((await listOutputs(tx, runId)).at(-1)?.index ?? -1) + 1;
  for (const [index, file] of files.entries()) await insertPromise(tx, runId, next + index, file);
}

/** Whether the incoming file at the row's index is the row's own. */
const isPlaceOf = (files: readonly DeclaredOutput[], row: Output): boolean => {
  const own = files[row.index];
  return own !== undefined && isSame(row, own);
};

async function insertPromise(
  tx: Tx,
  runId: string,
  index: number,
  file: DeclaredOutput,
): Promise<Output> {
  const row: OutputRow = {
    run_id: runId,
    index,
    remote_url: file.remoteUrl && cleanText(file.remoteUrl),
    expires_at: file.expiresAt,
    state: "promised",
    bytes: null,
    sha256: file.sha256,
    asset_id: null,
    name: cleanText(file.name),
    facts: toJson(file.facts),
    input: null,
  };
  await tx.insertInto("output").values(row).execute();
  return toOutput(row);
}

/** Deletes promised outputs before their answer is requested again from its start. */
export async function forgetPromises(tx: Tx, runId: string): Promise<void> {
  await tx
    .deleteFrom("output")
    .where("run_id", "=", runId)
    .where("state", "=", "promised")
    .execute();
}

export async function updateOutput(
  tx: Tx,
  runId: string,
  index: number,
  set: Partial<OutputRow>,
): Promise<void> {
  await tx
    .updateTable("output")
    .set(set)
    .where("run_id", "=", runId)
    .where("index", "=", index)
    .execute();
}

/** Claims an output that isn't stored yet; false when another caller was faster. */
export async function claimOutput(
  tx: Tx,
  runId: string,
  index: number,
  stored: { sha256: string; bytes: number; assetId: string },
) {
  const result = await tx
    .updateTable("output")
    .set({ state: "stored", sha256: stored.sha256, bytes: stored.bytes, asset_id: stored.assetId })
    .where("run_id", "=", runId)
    .where("index", "=", index)
    .where("state", "in", ["promised", "lost"])
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Adds an already stored output with its own input. Live sessions use it, which promise no outputs.
 * @returns its index
 */
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

/** Returns the inputs of these assets' outputs, for outputs whose input differs from the run's. */
export async function inputsOfOutputs(
  db: Reader,
  assetIds: readonly string[],
): Promise<Map<string, JsonObject>> {
  if (assetIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("asset")
    .innerJoin("output", (on) =>
      on
        .onRef("output.run_id", "=", "asset.run_id")
        .onRef("output.index", "=", "asset.output_index"),
    )
    .select(["asset.id", "output.input"])
    .where("asset.id", "in", assetIds)
    .where("output.input", "is not", null)
    .execute();
  return new Map(
    rows.flatMap(({ id, input }) => (input === null ? [] : [[id, fromJson<JsonObject>(input)]])),
  );
}

export async function listOutputs(db: Reader, runId: string): Promise<Output[]> {
  return (
    await db.selectFrom("output").selectAll().where("run_id", "=", runId).orderBy("index").execute()
  ).map(toOutput);
}
