import type { RunWarning } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isErased } from "#domain/runs/erased.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import type { AnswerPart, ProducedFile } from "#providers/adapter.ts";
import { listOutputs } from "#store/runs/outputs.ts";
import { lockRun, moveRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import type { InHand } from "../in-hand.ts";
import { persist } from "../persist.ts";
import { costOf } from "../settle/cost.ts";
import { type Ingested, nothingIngested } from "../settle/settle.ts";
import { downloadContext, type Source } from "./download-output.ts";
import { addOutput } from "./fetch-missing.ts";
import { ingestOutputs } from "./ingest.ts";
import { placeFiles } from "./settle-files.ts";
import { storeBytes } from "./store-bytes.ts";

/**
 * Saves the files that arrived before an answer broke or was canceled, with one attempt each. The
 * caller settles the run with them.
 */
export async function savePartialFiles(
  deps: EngineDeps,
  inHand: InHand,
  files: readonly ProducedFile[],
  giveUp: AbortSignal,
): Promise<Ingested> {
  if (files.length === 0) return nothingIngested;
  const sources = await persist(deps, giveUp, (unit) => placeFiles(unit, inHand, files));
  return ingestPlaced(deps, inHand, sources, giveUp);
}

/** Tries once to ingest each file that isn't stored yet. */
function ingestPlaced(
  deps: EngineDeps,
  inHand: InHand,
  sources: readonly Source[],
  giveUp: AbortSignal,
): Promise<Ingested> {
  const { run, adapter, connection, model } = inHand;
  const coming = sources.filter(({ output }) => output.state !== "stored");
  const context = downloadContext(deps, adapter, connection, giveUp);
  return ingestOutputs(deps, run, coming, { modelName: model.name, adapter, context, once: true });
}

/**
 * Saves a result that arrived at a server declared dead. If its run is unconfirmed, a complete
 * answer continues to `storing` with these files. A run with another owner, or an ended one, gets
 * them in addition to its own, and its state and ledger stay.
 * @param received `finish`: null if the answer is incomplete
 */
export async function saveOrphanedResult(
  deps: EngineDeps,
  inHand: InHand,
  received: {
    files: readonly ProducedFile[];
    finish: Extract<AnswerPart, { type: "finish" }> | null;
  },
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  if (received.files.length === 0) return;
  for (const file of received.files) {
    const open = openAtHand(file);
    if (!open) continue;
    const { mime } = file;
    await storeBytes(deps, open, { mostBytes: limits.outputBytes, ...(mime && { mime }), run });
  }
  if (
    received.finish &&
    (await continueToStoring(deps, inHand, { files: received.files, finish: received.finish }))
  )
    return;
  const sources = await persist(deps, giveUp, async (unit) => {
    const found = await lockRun(unit.tx, run.id);
    // Files of deleted content are not saved.
    if (!found || isErased(found)) return [];
    const before = new Set((await listOutputs(unit.tx, run.id)).map(({ index }) => index));
    const placed = await placeFiles(unit, inHand, received.files);
    // The run's owner saves its declared outputs itself, from the bytes stored here.
    return isFinal(found.state) ? placed : placed.filter(({ output }) => !before.has(output.index));
  });
  const kept = await ingestPlaced(deps, inHand, sources, giveUp);
  for (const { index, asset } of kept.assets)
    await addOutput(deps, run, { index, asset, note: lateNote(index) });
}

/** Opens a file that only this process has and that can't be requested again. */
function openAtHand(file: ProducedFile): (() => Promise<AsyncIterable<Uint8Array>>) | undefined {
  if ("bytes" in file)
    return async () =>
      (async function* () {
        yield file.bytes;
      })();
  return "open" in file && file.sha256 !== undefined ? file.open : undefined;
}

const lateNote = (index: number): RunWarning => ({
  type: "late",
  feature: `outputs.${index}`,
  message: sentences.runs.lateResult,
});

/** @returns false if the run isn't unconfirmed, or has been sent again */
async function continueToStoring(
  deps: EngineDeps,
  inHand: InHand,
  {
    files,
    finish,
  }: { files: readonly ProducedFile[]; finish: Extract<AnswerPart, { type: "finish" }> },
): Promise<boolean> {
  const { run } = inHand;
  return deps.commit(async (unit) => {
    const found = await lockRun(unit.tx, run.id);
    if (found?.state !== "unconfirmed" || found.attempts !== run.attempts) return false;
    await placeFiles(unit, inHand, files);
    const { usage, result = { finishReason: finish.reason } } = finish;
    const moved = await moveRun(unit, {
      runId: run.id,
      step: { type: "answered-whole" },
      // The worker with this id resumes the run. If that worker is gone, another one adopts the
      // run.
      set: {
        worker_id: run.workerId,
        fence: found.fence + 1,
        error: null,
        cost_micros: costOf(inHand, finish),
        usage: JSON.stringify(usage),
        result: JSON.stringify(result),
      },
      events: [{ type: "run-storing", payload: { outputs: files.length } }],
    });
    return moved !== undefined;
  });
}
