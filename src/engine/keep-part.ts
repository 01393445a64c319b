import { limits } from "#contract/limits.ts";
import type { AnswerPart, ProducedFile } from "#providers/adapter.ts";
import { listOutputs, promiseOutputs } from "#store/attempts.ts";
import { lockRun, moveRun } from "#store/runs.ts";
import { costOf } from "./cost.ts";
import type { EngineDeps } from "./deps.ts";
import { type Ingested, ingestOutputs } from "./ingest.ts";
import { keepBytes } from "./keep-bytes.ts";
import { callContext } from "./open-connection.ts";
import type { InHand } from "./owned.ts";
import { persist } from "./persist.ts";
import { toPromise } from "./settle-files.ts";

export const nothingKept: Ingested = { assets: [], lost: [], warnings: [] };

/** The files that arrived before an answer broke or was cancelled, saved with one try each. The caller settles with them. */
export async function keepPart(deps: EngineDeps, inHand: InHand, files: readonly ProducedFile[], shutdown: AbortSignal): Promise<Ingested> {
  if (files.length === 0) return nothingKept;
  const { run, adapter, connection, model } = inHand;
  const at = deps.clock.now();
  await persist(deps, shutdown, (tx) =>
    promiseOutputs(
      tx,
      run.id,
      files.map((file) => toPromise(file, adapter, at)),
    ),
  );
  const outputs = await listOutputs(deps.store.db, run.id);
  const sources = files.flatMap((file, i) => (outputs[i] ? [{ file, output: outputs[i] }] : []));
  const context = callContext(deps, adapter, connection, shutdown);
  return ingestOutputs(deps, run, sources, { modelName: model.name, adapter, context, once: true });
}

/**
 * A whole answer in the hands of a server that was taken for dead meanwhile: where its run is unconfirmed, the run goes on to saving with
 * these files. A run that somebody else owns, or that has ended, stays as it is.
 */
export async function keepUnowned(
  deps: EngineDeps,
  inHand: InHand,
  came: { files: readonly ProducedFile[]; finish: Extract<AnswerPart, { type: "finish" }> | null },
): Promise<void> {
  const { run, adapter } = inHand;
  if (came.files.length === 0) return;
  for (const file of came.files) {
    if (!("bytes" in file)) continue;
    const { bytes, mime } = file;
    const open = async () =>
      (async function* () {
        yield bytes;
      })();
    await keepBytes(deps, open, { mostBytes: limits.outputBytes, ...(mime && { mime }), run });
  }
  await deps.commit(async (tx, outbox) => {
    const found = await lockRun(deps.store, tx, run.id);
    if (found?.state !== "unknown" || found.attempts !== run.attempts) return;
    const at = deps.clock.now();
    await promiseOutputs(
      tx,
      run.id,
      came.files.map((file) => toPromise(file, adapter, at)),
    );
    const { usage = {}, result = { finishReason: came.finish?.reason ?? "stop" } } = came.finish ?? {};
    await moveRun(deps.store, tx, outbox, {
      runId: run.id,
      step: { type: "answered-whole" },
      // A worker of that name takes it up; where there is none of that name, another one adopts it as it does a dead one's.
      set: {
        worker_id: run.workerId,
        fence: found.fence + 1,
        error: null,
        cost_micros: costOf(inHand, came.finish),
        usage: JSON.stringify(usage),
        result: JSON.stringify(result),
      },
      events: [{ type: "run-storing", payload: { outputs: came.files.length } }],
      at,
    });
  });
}
