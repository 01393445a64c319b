import { Problem } from "#contract/errors.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import type { WebhookCall } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import { type Attempt, lastAttempt, listAttempts } from "#store/runs/attempts.ts";
import { asSent } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { isWebhookTaken, recordWebhook } from "#store/webhooks/webhooks-in.ts";
import { callContext } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import {
  askForJob,
  canFindJob,
  dropJob,
  type FoundJob,
  nameJob,
  preferEarlierJob,
  saveWebhookJobId,
} from "./find-job.ts";
import { saveFurtherResult, saveLateResult } from "./further-result.ts";
import type { WebhookKeys } from "./webhook-keys.ts";

const keysMs = 10_000;

/** The effects of a webhook. Each leads to a poll of our own. */
export type WebhookEffects = {
  workerId: string;
  /** Resumes an unconfirmed run, or one that waits to be sent again. */
  found(run: OwnedRun): void;
  /** Makes the run's owner poll now. */
  requestPoll(runId: string): void;
  /** Schedules the download of an ended run's files. */
  promised(runId: string): void;
};

/**
 * The parts of the webhook address. The token is the attempt's: the address isn't signed, and a
 * webhook copied to another run's address lacks that run's token.
 */
type WebhookPlace = { connectionId: string; runId: string; token: string };

/**
 * @returns whether the webhook comes from the provider
 * @throws when it can't be processed now, so that the provider repeats it
 */
export type WebhookReceiver = (to: WebhookPlace, call: WebhookCall) => Promise<boolean>;

/**
 * Receives webhooks from providers. A webhook is trusted only as a hint to poll: the provider's
 * answer to our own request decides the job's outcome. Simultaneous copies are processed once.
 */
export function createWebhookReceiver(
  deps: EngineDeps,
  keys: WebhookKeys,
  effects: WebhookEffects,
): WebhookReceiver {
  const going = new Map<string, Promise<void>>();

  const toRow = (run: OwnedRun, event: string, outcome: string) => ({
    connectionId: run.connectionId,
    event,
    outcome,
    at: deps.clock.now(),
  });

  async function receive(
    { connectionId, runId, token }: WebhookPlace,
    call: WebhookCall,
  ): Promise<boolean> {
    const connection = await getConnection(deps.store.read, connectionId);
    const adapter = connection && (await deps.kinds.get(connection.kind)?.load());
    if (!connection || !adapter?.webhook) return false;
    const context = callContext(deps, adapter, connection, AbortSignal.timeout(keysMs));
    const verified = await adapter.webhook.verify(call, {
      ...context,
      keys: (url, fresh) => keys(url, context, fresh === "fresh"),
    });
    const attempt = verified && (await attemptOf(connectionId, runId, token));
    if (!attempt) return false;
    const mark = `${connectionId} ${verified.requestId}`;
    const work =
      going.get(mark) ??
      takeIn(connectionId, attempt, verified.requestId).finally(() => going.delete(mark));
    going.set(mark, work);
    await work;
    return true;
  }

  /** The newest attempt sent with the token in the address. */
  async function attemptOf(
    connectionId: string,
    runId: string,
    token: string,
  ): Promise<Attempt | undefined> {
    const run = await getRun(deps.store.db, runId);
    const attempts = run ? await listAttempts(deps.store.db, runId) : [];
    const attempt = attempts.findLast(({ clientToken }) => clientToken === token);
    if (!run || !attempt) return undefined;
    const sent = await asSent(deps.store.db, run, attempt.number);
    return sent.connectionId === connectionId ? attempt : undefined;
  }

  async function takeIn(connectionId: string, attempt: Attempt, requestId: string): Promise<void> {
    if (await isWebhookTaken(deps.store.db, connectionId, requestId)) return;
    const outcome = await processWebhook(attempt, requestId).catch(async (error: unknown) => {
      await saveForLater(attempt, requestId);
      throw error;
    });
    if (outcome)
      await deps.commit(({ tx, at }) =>
        recordWebhook(tx, { connectionId, event: requestId, outcome, at }),
      );
  }

  /** Saves a signed webhook whose job can't be read now, for the run's owner, a chore or a person. */
  async function saveForLater({ runId, number }: Attempt, requestId: string): Promise<void> {
    try {
      const run = await getRun(deps.store.db, runId);
      const attempt = (await listAttempts(deps.store.db, runId)).find(
        (one) => one.number === number,
      );
      if (!run || !attempt) return;
      await saveWebhookJobId(deps, await asSent(deps.store.db, run, number), attempt, requestId);
      effects.requestPoll(runId);
    } catch (error) {
      deps.log.warn({ runId, error: String(error) }, "a webhook could not be kept for later");
    }
  }

  /**
   * @returns the outcome to record; null if it was recorded with its effect, or if the webhook
   *   should be repeated
   */
  async function processWebhook(attempt: Attempt, requestId: string): Promise<string | null> {
    const { runId } = attempt;
    const run = await getRun(deps.store.db, runId);
    if (!run) return "no run";
    const last = await lastAttempt(deps.store.db, runId);
    const sent = await asSent(deps.store.db, run, attempt.number);
    if (sent !== run) return takeOfLeftModel(sent, attempt, requestId);
    if (last && attempt.clientToken !== last.clientToken)
      return takeEarlier(run, attempt, requestId);
    if (canFindJob(run)) return name(run, requestId);
    if (isFinal(run.state))
      return run.state === "succeeded" ? "ended" : takeLateResult(run, requestId);
    if (last?.providerRequestId !== requestId) return "another job";
    effects.requestPoll(runId);
    return "looked";
  }

  /**
   * Handles the job of an attempt that has since been sent again. The run follows it if it has no
   * result yet; otherwise the result is added to the run.
   * @throws Problem unavailable while the run is ending, so that the webhook is repeated
   */
  async function takeEarlier(
    run: OwnedRun,
    attempt: Attempt,
    requestId: string,
  ): Promise<string | null> {
    const job = await askForJob(deps, run, requestId);
    if (!job) return "no job";
    if (isFinal(run.state)) return takeFurther(run, attempt, requestId, job);
    const found = {
      runId: run.id,
      clientToken: attempt.clientToken,
      job,
      workerId: effects.workerId,
    };
    const preferred = await deps.commit(async (unit) => {
      const result = await preferEarlierJob(unit, found);
      if (result !== "not open")
        await recordWebhook(
          unit.tx,
          toRow(run, requestId, result === "of another" ? result : "found"),
        );
      return result;
    });
    if (preferred === "of another") return null;
    if (preferred === "not open") throw new Problem("unavailable");
    effects.found(preferred.run);
    const { providerRequestId: id, providerUrls } = preferred.left;
    if (id !== null) void dropJob(deps, run, { id, urls: providerUrls ?? {} });
    return null;
  }

  /**
   * Handles a job of a model that the run has since left for the alias's next one. Its result is
   * added once the run has ended. Until then the webhook is stored, because a run can stay active
   * for longer than the provider repeats it.
   */
  async function takeOfLeftModel(
    sent: OwnedRun,
    attempt: Attempt,
    requestId: string,
  ): Promise<string | null> {
    if (isFinal(sent.state)) return takeFurther(sent, attempt, requestId);
    return (await saveWebhookJobId(deps, sent, attempt, requestId)) ? null : "another job";
  }

  async function takeFurther(
    run: OwnedRun,
    attempt: Attempt,
    requestId: string,
    job?: FoundJob,
  ): Promise<null> {
    const found = job ?? (await askForJob(deps, run, requestId));
    if (await saveFurtherResult(deps, run, attempt, requestId, found)) effects.promised(run.id);
    return null;
  }

  async function name(run: OwnedRun, requestId: string): Promise<string | null> {
    const job = await askForJob(deps, run, requestId);
    if (!job) return "no job";
    const named = await deps.commit(async (unit) => {
      const result = await nameJob(unit, {
        runId: run.id,
        job,
        workerId: effects.workerId,
      });
      const outcome = typeof result === "object" ? "found" : result;
      // The submit was answered while we asked. The webhook's next copy or polling leads to the
      // same outcome.
      if (outcome !== "not open") await recordWebhook(unit.tx, toRow(run, requestId, outcome));
      return result;
    });
    if (typeof named === "object") effects.found(named);
    // A submit that waits for its answer can use this id.
    if (named === "not open" || named === "noted") effects.requestPoll(run.id);
    return null;
  }

  async function takeLateResult(run: OwnedRun, requestId: string): Promise<null> {
    if (await saveLateResult(deps, run, requestId, await askForJob(deps, run, requestId)))
      effects.promised(run.id);
    return null;
  }

  return receive;
}
