import { allowedTools } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { returnsNoFile } from "#contract/tasks.ts";
import { type ProducedFile, ProviderError, type Usage } from "#providers/adapter.ts";
import { isUnsent, lastAttempt, updateAttempt } from "#store/runs/attempts.ts";
import { forgetPromises, listOutputs, type Output } from "#store/runs/outputs.ts";
import { moveRun } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { callsIn, partsOf, transcriptName, transcriptOf } from "../follow/answer.ts";
import { resumeJob } from "../follow/job.ts";
import { continuedParts, readSavedAnswer, type SavedAnswer } from "../follow/saved-answer.ts";
import { goesByJob, hasAttempts, type InHand } from "../in-hand.ts";
import { openKept } from "../ingest/fetch-missing.ts";
import { savePartialFiles } from "../ingest/partial-files.ts";
import { settleFiles } from "../ingest/settle-files.ts";
import { persist } from "../persist.ts";
import { buildRequest } from "../send/request.ts";
import { resubmit, resumeSent } from "../send/submit.ts";
import { costOf, estimateUsage } from "../settle/cost.ts";
import { failUnsent, leaveUnsent, loseOutcome } from "../settle/fail.ts";
import type { Ingested } from "../settle/settle.ts";
import { emptyOutcome, settleRun, toRunError } from "../settle/settle.ts";
import { closeLostSession } from "../settle/settle-session.ts";

/**
 * Resumes a run whose worker died, depending on its state (reliability.md, the crash matrix). A
 * paid request whose answer was lost is never sent again, unless the provider recognizes our client
 * token. A run of a free model restarts unless it has produced output.
 */
export async function resumeRun(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  if (run.task === "live") return closeLostSession(deps, inHand, giveUp);
  if (run.state === "submitting" && (await resumeUnsent(deps, inHand, giveUp))) return;
  const saved = await readSavedAnswer(deps, run.id);
  if (run.state === "submitting" && (await resumeSent(deps, inHand, giveUp))) return;
  if (
    inHand.adapter.job &&
    (run.state === "submitted" ||
      run.state === "running" ||
      (run.state === "storing" && !(await hasAddresses(deps, run.id)))) &&
    (await resumeJob(deps, inHand, giveUp))
  )
    return;
  if (run.state === "storing") return resumeStoring(deps, inHand, saved, giveUp);
  // A cancel request doesn't tell whether the provider ran the request. Lost text can't be looked
  // up, so it ends.
  const isLost = run.state === "submitting" && !inHand.free;
  if (isLost && goesByJob(inHand)) return resubmit(deps, inHand, giveUp);
  if (isLost && !returnsNoFile(run.task)) {
    // A file may have arrived before the run's state changed.
    const kept = await saveAnnouncedOutput(deps, inHand, saved, giveUp);
    return loseOutcome(deps, inHand, null, giveUp, kept);
  }
  if (run.cancelRequestedAt !== null) return end(deps, inHand, saved, "cancelled", giveUp);
  const hasNothing =
    saved.text === "" &&
    saved.reasoning === "" &&
    (await listOutputs(deps.store.db, run.id)).length === 0;
  // A run that crashes the process each time must not be retried forever.
  if (inHand.free && hasNothing && hasAttempts(run)) return restartRun(deps, inHand, giveUp);
  if (inHand.free || returnsNoFile(run.task)) return end(deps, inHand, saved, "failed", giveUp);
  // How much more of a file the provider made and charged for is unknown.
  await loseOutcome(
    deps,
    inHand,
    sentences.answers.serverDied,
    giveUp,
    await saveAnnouncedOutput(deps, inHand, saved, giveUp),
  );
}

/**
 * Sends a run again whose server died during the free requests before the paid one. A run that
 * crashes the process each time fails free of charge.
 * @returns false if the paid request may have been sent
 */
async function resumeUnsent(
  deps: EngineDeps,
  inHand: InHand,
  giveUp: AbortSignal,
): Promise<boolean> {
  const { run } = inHand;
  const attempt = await lastAttempt(deps.store.db, run.id);
  if (attempt?.number !== run.attempts || !isUnsent(attempt)) return false;
  if (inHand.stopped.reason === "cancel" || hasAttempts(run))
    await leaveUnsent(deps, inHand, giveUp);
  else {
    const message = sentences.runs.stoppedBeforeSending;
    await failUnsent(
      deps,
      run,
      new ProviderError("provider_interrupted", "no", { message }),
      giveUp,
    );
  }
  return true;
}

/**
 * Saves the files announced before the worker died and a transcript's text, as far as they can
 * still be had.
 */
async function saveAnnouncedOutput(
  deps: EngineDeps,
  inHand: InHand,
  saved: { text: string },
  giveUp: AbortSignal,
): Promise<Ingested> {
  const outputs = await listOutputs(deps.store.db, inHand.run.id);
  const files = outputs.map((output) => toFile(deps, output, saved.text));
  const hasTranscript =
    inHand.run.task !== "chat" &&
    saved.text !== "" &&
    outputs.every(({ name }) => name !== transcriptName);
  return savePartialFiles(
    deps,
    inHand,
    hasTranscript ? [...files, transcriptOf(saved.text)] : files,
    giveUp,
  );
}

/**
 * Whether all announced files have addresses. They can be downloaded even if the provider has
 * forgotten the job.
 */
async function hasAddresses(deps: EngineDeps, runId: string): Promise<boolean> {
  const outputs = await listOutputs(deps.store.db, runId);
  return outputs.length > 0 && outputs.every((output) => output.remoteUrl !== null);
}

async function restartRun(deps: EngineDeps, inHand: InHand, giveUp: AbortSignal): Promise<void> {
  const { run } = inHand;
  await persist(deps, giveUp, async (unit) => {
    await updateAttempt(unit.tx, run.id, run.attempts, { state: "lost", ended_at: unit.at });
    await forgetPromises(unit.tx, run.id);
    await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: { type: "restarted" },
      set: { worker_id: null, progress: null },
      events: [
        {
          type: "run-requeued",
          payload: { reason: sentences.runs.resumesAfterStop, notBefore: unit.at },
        },
      ],
    });
  });
}

/**
 * Downloads files with addresses again and reads text from the log. Other bytes are either stored
 * already or lost with the process.
 */
async function resumeStoring(
  deps: EngineDeps,
  inHand: InHand,
  saved: SavedAnswer,
  giveUp: AbortSignal,
): Promise<void> {
  const outputs = await listOutputs(deps.store.db, inHand.run.id);
  if (inHand.free && outputs.every((output) => output.remoteUrl === null))
    return restartRun(deps, inHand, giveUp);
  const result = inHand.run.result as JsonObject | null;
  const calls = inHand.run.task === "chat" ? callsIn(result) : [];
  await settleFiles(
    deps,
    inHand,
    outputs.map((output) => ({ output, file: toFile(deps, output, saved.text) })),
    {
      parts: [...partsOf(saved, await continuedParts(deps, inHand.run), saved.sources), ...calls],
      calls,
      result,
      usage: (inHand.run.usage ?? {}) as Usage,
      costMicros: inHand.run.costMicros,
    },
    giveUp,
  );
}

/** An announced file in the form in which it can still be had. */
function toFile(
  deps: EngineDeps,
  { name, facts, remoteUrl: url, expiresAt, sha256 }: Output,
  words: string,
): ProducedFile {
  if (url !== null) return { name, ...facts, url, ...(expiresAt !== null && { expiresAt }) };
  // A transcript's text is in the log.
  if (name === transcriptName && words !== "") return transcriptOf(words);
  return { name, ...facts, open: () => openKept(deps, sha256) };
}

/** Text is published up to a second before it is saved, so some may be lost. */
const serverDied = (): ProviderError =>
  new ProviderError("provider_interrupted", "yes", { message: sentences.answers.serverDied });

async function end(
  deps: EngineDeps,
  inHand: InHand,
  saved: SavedAnswer,
  how: "failed" | "cancelled",
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  const error = how === "failed" ? toRunError(serverDied(), run.connectionId) : null;
  const kept = await saveAnnouncedOutput(deps, inHand, saved, giveUp);
  const parts = partsOf(saved, await continuedParts(deps, run), saved.sources);
  const request = returnsNoFile(run.task) ? await buildRequest(deps, run, inHand.model) : undefined;
  const usage = request ? estimateUsage(request, saved) : {};
  // The dead server counted the uses of the provider's tools in memory.
  const isCounted = allowedTools(request?.input ?? {}).length === 0;
  await persist(deps, giveUp, (unit) =>
    settleRun(unit, deps, run, {
      ...emptyOutcome,
      steps: [{ type: how }],
      parts,
      interrupted: true,
      assets: kept.assets,
      lost: kept.lost.map(({ index }) => index),
      warnings: [...inHand.warnings, ...kept.warnings],
      usage,
      error,
      costMicros: costOf(inHand, isCounted ? { usage } : null),
      attempt: { state: "lost" },
    }),
  );
}
