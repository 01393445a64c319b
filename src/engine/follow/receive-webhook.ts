import { Problem } from "#contract/errors.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import type { WebhookCall } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import { type Attempt, lastAttempt, listAttempts, updateAttempt } from "#store/runs/attempts.ts";
import { asSent } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { isWebhookKnown, recordWebhook, waiting } from "#store/webhooks/webhooks-in.ts";
import { callContext } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import {
  askForJob,
  dropJob,
  type FoundJob,
  keepNamedId,
  mayBeNamed,
  nameJob,
  preferEarlierJob,
} from "./find-job.ts";
import { keepFurther } from "./further-result.ts";
import { bookLateResult, readLateResult } from "./late-result.ts";
import type { WebhookKeys } from "./webhook-keys.ts";

const keysMs = 10_000;

/** What a webhook leads to, each of it a look of our own at the job. */
export type WebhookEffects = {
  workerId: string;
  /** Resumes an unconfirmed run, or one that waits to be sent again. */
  found(run: OwnedRun): void;
  /** The run's owner asks now and not at its next turn. */
  lookNow(runId: string): void;
  /** Files of an ended run are to be brought home. */
  promised(runId: string): void;
};

/** What the address says. The token is its attempt's: the address is not signed, and a copy sent to another run's has not got that run's. */
type WebhookPlace = { connectionId: string; runId: string; token: string };

/** @returns whether it was the provider's. @throws when it could not be taken now: then the provider may send it again */
export type WebhookDoor = (to: WebhookPlace, call: WebhookCall) => Promise<boolean>;

/**
 * The door for what providers tell by themselves. A webhook is believed in one thing only, that there is something to look
 * at: what became of the job is what its provider says when we ask with our own key. Copies that come together are one.
 */
export function createWebhookDoor(
  deps: EngineDeps,
  keys: WebhookKeys,
  effects: WebhookEffects,
): WebhookDoor {
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

  /** The newest attempt that was sent under the address's token. */
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
    if (await isWebhookKnown(deps.store.db, connectionId, requestId)) return;
    const outcome = await look(attempt, requestId);
    if (outcome)
      await deps.commit(({ tx, at }) =>
        recordWebhook(tx, { connectionId, event: requestId, outcome, at }),
      );
  }

  /** @returns what is left to be written down; null when that was done together with its effect, or when it is to come again */
  async function look(attempt: Attempt, requestId: string): Promise<string | null> {
    const { runId } = attempt;
    const run = await getRun(deps.store.db, runId);
    if (!run) return "no run";
    const last = await lastAttempt(deps.store.db, runId);
    const sent = await asSent(deps.store.db, run, attempt.number);
    if (sent !== run) return takeOfLeftModel(sent, attempt, requestId);
    if (last && attempt.clientToken !== last.clientToken)
      return takeEarlier(run, attempt, requestId);
    if (mayBeNamed(run)) return name(run, requestId);
    if (isFinal(run.state)) return run.state === "succeeded" ? "ended" : keepLate(run, requestId);
    if (last?.providerRequestId !== requestId) return "another job";
    effects.lookNow(runId);
    return "looked";
  }

  /**
   * A job of an attempt that was sent again since. The run follows it where it has no result yet; else its result comes as a further one.
   * @throws Problem unavailable while the run is being ended: the webhook comes again
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
   * A job of a model behind an alias that the run has left since. Its result comes as a further one once the run has ended: until then
   * the webhook is kept, for a run may be open for longer than its provider sends it again.
   */
  async function takeOfLeftModel(
    sent: OwnedRun,
    attempt: Attempt,
    requestId: string,
  ): Promise<null> {
    if (isFinal(sent.state)) return takeFurther(sent, attempt, requestId);
    await deps.commit(async ({ tx }) => {
      await updateAttempt(tx, sent.id, attempt.number, { provider_request_id: requestId });
      await recordWebhook(tx, toRow(sent, requestId, waiting));
    });
    return null;
  }

  async function takeFurther(
    run: OwnedRun,
    attempt: Attempt,
    requestId: string,
    job?: FoundJob,
  ): Promise<null> {
    const found = job ?? (await askForJob(deps, run, requestId));
    if (await keepFurther(deps, run, attempt, requestId, found)) effects.promised(run.id);
    return null;
  }

  async function name(run: OwnedRun, requestId: string): Promise<string | null> {
    const job = await ask(run, requestId);
    if (!job) return "no job";
    const named = await deps.commit(async (unit) => {
      const result = await nameJob(unit, {
        runId: run.id,
        job,
        workerId: effects.workerId,
      });
      const outcome = typeof result === "object" ? "found" : result;
      // Its own submit was answered while we asked: it comes to the same at its next copy, or by polling.
      if (outcome !== "not open") await recordWebhook(unit.tx, toRow(run, requestId, outcome));
      return result;
    });
    if (typeof named === "object") effects.found(named);
    // A submit whose answer hangs has its id now.
    if (named === "not open" || named === "noted") effects.lookNow(run.id);
    return null;
  }

  async function ask(run: OwnedRun, requestId: string): Promise<FoundJob | undefined> {
    return askForJob(deps, run, requestId).catch(async (error: unknown) => {
      // Its provider signed it and can't be asked just now: with the id it is asked later, by the run's owner or by a person.
      await keepNamedId(deps, run, requestId);
      effects.lookNow(run.id);
      throw error;
    });
  }

  async function keepLate(run: OwnedRun, requestId: string): Promise<string | null> {
    const job = await ask(run, requestId);
    if (!job) return "no job";
    const result = await readLateResult(job);
    if (!result) return job.status.state === "done" ? "ended" : null;
    const isKept = await deps.commit(async (unit) => {
      const isBooked = await bookLateResult(unit, deps, { run, job, result });
      await recordWebhook(unit.tx, toRow(run, requestId, isBooked ? "late result" : "ended"));
      return isBooked;
    });
    if (isKept) effects.promised(run.id);
    return null;
  }

  return receive;
}
