import type { RunWarning } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { type ProducedFile, ProviderError } from "#providers/adapter.ts";
import { insertKeptAsset, type NewAsset } from "#store/content/assets.ts";
import { getConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import { noteAfterEnd } from "#store/runs/ended-runs.ts";
import { claimOutput, listOutputs, type Output, updateOutput } from "#store/runs/outputs.ts";
import { asSent } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { adapterOf } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import { type Ingested, nothingIngested, toRunError } from "../settle/settle.ts";
import { warnOfStorage, withStorageWarning } from "../settle/storage-warning.ts";
import { downloadContext } from "./download-output.ts";
import { expiryWarning } from "./expiring.ts";
import { ingestOutputs } from "./ingest.ts";
import { alarmMs } from "./output-lifetime.ts";

/**
 * The outcome of another attempt: how many results are new, how many are still missing, and why.
 */
export type FetchResult = { stored: number; missing: number; reason: string | null };

/**
 * A result that arrived after its run ended, or was given up, and has an address that may still
 * answer; or one whose bytes are stored although its server died before recording that.
 */
const isMissing = ({ state, remoteUrl, sha256 }: Output): boolean =>
  remoteUrl === null
    ? state === "promised" && sha256 !== null
    : state === "promised" || state === "lost";

/**
 * Tries once to download the missing outputs of an ended run. The run's state stays; each file
 * becomes one of its assets. Without the connection nothing is downloaded, and files are given up as
 * soon as the provider has deleted them.
 * @throws Problem conflict for a run that hasn't ended or misses nothing
 */
export async function fetchMissing(
  deps: EngineDeps,
  runId: string,
  stop = new AbortController().signal,
): Promise<FetchResult> {
  const run = await getRun(deps.store.db, runId);
  if (!run || !isFinal(run.state))
    throw new Problem("conflict", {
      message: sentences.runs.stillDownloading,
    });
  const outputs = (await listOutputs(deps.store.db, runId)).filter(isMissing);
  if (outputs.length === 0)
    throw new Problem("conflict", { message: sentences.runs.nothingToDownload });
  const ingested: Pick<Ingested, "assets" | "lost"> = { assets: [], lost: [] };
  for (const [attempt, made] of Map.groupBy(outputs, ({ facts }) => facts.attempt)) {
    const sent = attempt === undefined ? run : await asSent(deps.store.db, run, attempt);
    const { assets, lost } = await ingestOnce(deps, sent, made, stop);
    ingested.assets.push(...assets);
    ingested.lost.push(...lost);
  }
  let stored = 0;
  for (const { index, asset } of ingested.assets)
    if (await addOutput(deps, run, { index, asset })) stored++;
  const still = outputs.filter((output) =>
    ingested.lost.some(({ index }) => index === output.index),
  );
  await giveUpExpired(deps, run, still);
  await warnOfExpirySoon(deps, run, still);
  const first = ingested.lost[0]?.error;
  return {
    stored,
    missing: ingested.lost.length,
    reason: first === undefined ? null : toRunError(first, run.connectionId).message,
  };
}

async function ingestOnce(
  deps: EngineDeps,
  run: OwnedRun,
  outputs: readonly Output[],
  stop: AbortSignal,
): Promise<Ingested> {
  const connection = await getConnection(deps.store.read, run.connectionId);
  if (!connection) {
    const error = new Problem("model_gone", { connectionId: run.connectionId });
    return { ...nothingIngested, lost: outputs.map(({ index }) => ({ index, error })) };
  }
  const adapter = await adapterOf(deps, connection.kind);
  const model = await getModel(deps.store.read, run.connectionId, run.modelId);
  const context = downloadContext(deps, adapter, connection, stop);
  const sources = outputs.map((output) => ({ output, file: toFile(deps, output) }));
  const modelName = model?.name ?? run.modelId;
  return ingestOutputs(deps, run, sources, { modelName, adapter, context, once: true });
}

function toFile(deps: EngineDeps, output: Output): ProducedFile {
  const { name, facts, remoteUrl: url, expiresAt, sha256 } = output;
  if (url === null) return { name, ...facts, open: () => openKept(deps, sha256) };
  return { name, ...facts, url, ...(expiresAt !== null && { expiresAt }) };
}

/**
 * Opens bytes that arrived with an answer and were stored before its worker died.
 * @throws ProviderError if they weren't stored, because they can't be requested again
 */
export async function openKept(
  deps: EngineDeps,
  sha256: string | null,
): Promise<AsyncIterable<Uint8Array>> {
  if (sha256 !== null && (await deps.blobs.stat(sha256))) return deps.blobs.get(sha256);
  const message = sentences.runs.stoppedBeforeSaving;
  throw new ProviderError("output_unavailable", "yes", { message, httpStatus: 410 });
}

const isAbout = (index: number) => (warning: { type: string; feature: string }) =>
  warning.feature === `outputs.${index}` &&
  (warning.type === "lost" || warning.type === "expiring");

/**
 * Adds a file that arrived after the run's settlement as its asset; the run's state and ledger
 * stay.
 * @param output `note`: the message for the person, if the run has ended
 * @returns false if the output already has a file
 */
export async function addOutput(
  deps: EngineDeps,
  run: OwnedRun,
  { index, asset, note }: { index: number; asset: NewAsset; note?: RunWarning },
): Promise<boolean> {
  return deps.commit(async (unit) => {
    const above = await warnOfStorage(deps, unit.tx, run, asset.bytes);
    if (
      !(await claimOutput(unit.tx, run.id, index, {
        sha256: asset.sha256,
        bytes: asset.bytes,
        assetId: asset.id,
      }))
    )
      return false;
    const noted = await noteAfterEnd(unit, {
      runId: run.id,
      events: [{ type: "output-stored", payload: { index, assetId: asset.id } }],
      warnings: (before) => [
        ...withStorageWarning(
          before.filter((warning) => !isAbout(index)(warning)),
          above,
        ),
        ...(note ? [note] : []),
      ],
    });
    // The conversation may have been shared in the meantime.
    await insertKeptAsset(unit, {
      ...asset,
      visibility: noted?.visibility ?? run.visibility,
    });
    return true;
  });
}

/** Marks outputs as lost that are still missing after the provider has deleted them. */
async function giveUpExpired(
  deps: EngineDeps,
  run: OwnedRun,
  outputs: readonly Output[],
): Promise<void> {
  const at = deps.clock.now();
  const expired = outputs.filter(
    ({ state, expiresAt }) => state === "promised" && (expiresAt ?? 0) <= at,
  );
  if (expired.length === 0) return;
  const lost = expired.map(({ index }) => ({
    type: "lost",
    feature: `outputs.${index}`,
    message: sentences.runs.resultNotDownloaded,
  }));
  await deps.commit(async (unit) => {
    for (const { index } of expired) await updateOutput(unit.tx, run.id, index, { state: "lost" });
    await noteAfterEnd(unit, {
      runId: run.id,
      events: lost.map((payload) => ({ type: "warning", payload })),
      warnings: (before) => [
        ...before.filter((warning) => !expired.some(({ index }) => isAbout(index)(warning))),
        ...lost,
      ],
    });
  });
}

/**
 * Warns an hour before the provider deletes a file. A chore looks after ended runs, so it has to
 * warn too.
 */
async function warnOfExpirySoon(
  deps: EngineDeps,
  run: OwnedRun,
  outputs: readonly Output[],
): Promise<void> {
  const at = deps.clock.now();
  const isNear = ({ state, expiresAt }: Output) =>
    state === "promised" && expiresAt !== null && expiresAt > at && expiresAt - at <= alarmMs;
  const near = outputs
    .filter(isNear)
    .filter(
      ({ index }) =>
        !run.warnings.some((known) => known.type === "expiring" && isAbout(index)(known)),
    );
  if (near.length === 0) return;
  await deps.commit((unit) =>
    noteAfterEnd(unit, {
      runId: run.id,
      events: near.map(({ index, expiresAt }) => ({
        type: "output-expiring",
        payload: { index, expiresAt: expiresAt ?? at },
      })),
      warnings: (before) => [...before, ...near.map(({ index }) => expiryWarning(index))],
    }),
  );
}
