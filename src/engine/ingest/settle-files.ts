import { createHash } from "node:crypto";
import type { MessagePart, RunWarning } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { missingOutputs, promisesFiles } from "#domain/runs/missing-outputs.ts";
import {
  type Adapter,
  type ProducedFile,
  ProviderError,
  type ToolCall,
  type Usage,
} from "#providers/adapter.ts";
import { FileLeaving } from "#store/content/blobs.ts";
import { promiseOutputs } from "#store/runs/outputs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { attemptFacts, type InHand } from "../in-hand.ts";
import { isRefusedForGood, persist } from "../persist.ts";
import {
  emptyOutcome,
  type Ingested,
  type Outcome,
  settleRun,
  toRunError,
} from "../settle/settle.ts";
import { downloadContext, type Source } from "./download-output.ts";
import { cancelSignal, expiryWarning, reportDelay, warnOfExpiry } from "./expiring.ts";
import { expiryOf, type Ingesting, ingestOutputs } from "./ingest.ts";

/**
 * The row of an announced file. A URL always has `expiresAt`: from the provider, or the retention
 * of its kind.
 */
export const toPromise = (
  file: ProducedFile,
  adapter: Pick<Adapter, "outputLifetimeMs">,
  at: number,
) => ({
  name: file.name,
  // Finds the file again if the process dies after storing it, because it can't be requested twice.
  sha256: hashOf(file),
  remoteUrl: "url" in file ? file.url : null,
  expiresAt: "url" in file ? expiryOf(adapter, file.expiresAt, at) : null,
  facts: {
    mime: file.mime,
    width: file.width,
    height: file.height,
    durationMs: file.durationMs,
    size: file.size,
    sha256: file.sha256,
    ...("url" in file && file.needsKey && { needsKey: true as const }),
  },
});

function hashOf(file: ProducedFile): string | null {
  if ("bytes" in file) return createHash("sha256").update(file.bytes).digest("hex");
  return "open" in file ? (file.sha256 ?? null) : null;
}

/** Inserts the rows of an answer's files in the caller's unit. */
export async function placeFiles(
  { tx, at }: Unit,
  { run, adapter }: Pick<InHand, "run" | "adapter">,
  files: readonly ProducedFile[],
): Promise<Source[]> {
  const promised = files.map((file) => toPromise(file, adapter, at));
  const outputs = await promiseOutputs(tx, run.id, promised);
  return outputs.map((output, i) => ({ file: files[i]!, output }));
}

/**
 * Takes a run from `storing` to its end: downloads the files, then settles the run with them in one
 * unit.
 * @param sources the answer's files with their rows; stored ones stay as they are
 */
export async function settleFiles(
  deps: EngineDeps,
  inHand: InHand,
  sources: readonly Source[],
  ended: Answer,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  const coming = sources.filter(({ output }) => output.state !== "stored");
  // A separate context: a cancel or a shutdown ends the attempt's calls, but not the download of a
  // paid result.
  const context = downloadContext(deps, inHand.adapter, inHand.connection, giveUp);
  const expiring: RunWarning[] = [];
  const ingesting: Ingesting = {
    modelName: inHand.model.name,
    adapter: inHand.adapter,
    context,
    impatience: cancelSignal(inHand),
    letGo: inHand.letGo.signal,
    async onExpiring({ index, expiresAt }) {
      expiring.push(expiryWarning(index));
      await warnOfExpiry(
        deps,
        run,
        { index, expiresAt: expiresAt ?? deps.clock.now() },
        [...inHand.warnings, ...expiring],
        giveUp,
      );
    },
    onDelay: ({ index }, message) => reportDelay(deps, run, index, message, giveUp),
  };
  for (let left = maxRefetches; ; left--) {
    const outcome = outcomeOf(
      inHand,
      sources,
      await ingestOutputs(deps, run, coming, ingesting),
      ended,
    );
    try {
      await persist(deps, giveUp, (unit) => settleRun(unit, deps, run, outcome));
      return;
    } catch (error) {
      if (error instanceof FileLeaving && left > 0) continue;
      if (!isRefusedForGood(error) || giveUp.aborted) throw error;
      deps.log.error(
        { runId: run.id, error: error instanceof Error ? error.stack : String(error) },
        "the results of a run could not be saved",
      );
      // The same bytes would be refused again. The run ends, and a person can have its results
      // downloaded again.
      const unwritten = { ...nothingStored(outcome), error: toRunError(error, run.connectionId) };
      await persist(deps, giveUp, (unit) => settleRun(unit, deps, run, unwritten));
      return;
    }
  }
}

/** How often files that were collected before they had an asset are downloaded again. */
const maxRefetches = 3;

/** The run's outcome without its files. */
const nothingStored = (outcome: Outcome): Outcome => ({
  ...outcome,
  steps: [{ type: "outputs-lost" }],
  interrupted: true,
  assets: [],
  lost: [...outcome.lost, ...outcome.assets.map(({ index }) => index)],
  warnings: outcome.warnings.filter(({ type }) => type !== "lost"),
});

type Answer = {
  parts: MessagePart[];
  calls?: readonly ToolCall[];
  result: JsonObject | null;
  usage: Usage;
  costMicros: number | null;
};

function outcomeOf(
  inHand: InHand,
  sources: readonly Source[],
  ingested: Ingested,
  ended: Answer,
): Outcome {
  const { run } = inHand;
  const allLost = ingested.lost.length > 0 && ingested.lost.length === sources.length;
  const lostWarnings = ingested.lost.map(({ index }) => ({
    type: "lost",
    feature: `outputs.${index}`,
    message: sentences.runs.resultNotDownloaded,
  }));
  const firstLoss = ingested.lost[0]?.error;
  if (sources.length === 0 && promisesFiles(run.task)) return withoutOutput(inHand, ended);
  const known = ingested.assets.map(({ asset }) => asset.kind);
  const made = [...known, ...Array.from({ length: sources.length - known.length }, () => null)];
  const missing = allLost ? null : missingOutputs(run, inHand.model.capabilities, made);
  return {
    steps: [{ type: allLost ? "outputs-lost" : "stored" }],
    parts: ended.parts,
    ...(ended.calls && { calls: ended.calls }),
    interrupted: allLost,
    assets: ingested.assets,
    lost: ingested.lost.map(({ index }) => index),
    result: ended.result,
    usage: ended.usage,
    costMicros: ended.costMicros,
    error: allLost
      ? toRunError(
          new ProviderError("output_unavailable", "yes", {
            message: `The result was made, but could not be fetched. ${toRunError(firstLoss, run.connectionId).message}`,
          }),
          run.connectionId,
        )
      : null,
    warnings: [
      ...inHand.warnings.filter(({ type }) => type !== "expiring"),
      ...ingested.warnings,
      ...(allLost ? [] : lostWarnings),
      ...(missing ? [missing] : []),
    ],
    attempt: { state: "ended", ...(inHand.wire.sentAt !== null && attemptFacts(inHand)) },
  };
}

/**
 * The outcome of a complete answer without the file that its task produces. The provider counts it
 * as done and may have charged for it.
 */
function withoutOutput(inHand: InHand, { parts, result, usage, costMicros }: Answer): Outcome {
  const said =
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") ||
    (result ? JSON.stringify(result) : "");
  const error = new ProviderError("provider_failed", "yes", {
    message: sentences.runs.noOutput,
    ...(said && { providerMessage: said.slice(0, maxQuoted) }),
  });
  return {
    ...emptyOutcome,
    steps: [{ type: "failed" }],
    parts,
    interrupted: true,
    result,
    usage,
    costMicros,
    error: toRunError(error, inHand.run.connectionId),
    warnings: inHand.warnings,
    attempt: { state: "ended", ...(inHand.wire.sentAt !== null && attemptFacts(inHand)) },
  };
}

const maxQuoted = 500;
