import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { appOf } from "#domain/models/fal-apps.ts";
import { decide } from "#domain/people/policy.ts";
import { getConnection } from "#store/models/connections.ts";
import { findScope } from "#store/people/scopes.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { runHint } from "#store/runs/unit.ts";
import type { ServerDeps } from "../../deps.ts";
import { type StreamedEvent, streamEvents } from "../../live/event-stream.ts";
import { type Asking, followRun, isOver, problemOfRun } from "../programs/follow.ts";
import { failureOf, toFalError } from "./errors.ts";
import { falKind } from "./models.ts";
import type { Repeats } from "./repeats.ts";
import { answerResult } from "./result.ts";
import { logsOf, readLogs, statusOf } from "./status.ts";

/**
 * How long an already known status is held back for news: otherwise fal's client asks twice a
 * second.
 */
const heldMs = 1_500;
const maxReported = 5_000;

/**
 * Finds a run by the id that its submit returned.
 * @throws Problem not_found for a run that isn't the caller's own, or not fal's
 */
async function findOwn(
  deps: ServerDeps,
  { actor, projectId }: Asking,
  app: string,
  runId: string,
): Promise<OwnedRun> {
  const run = await getRun(deps.store.read, runId);
  const scope = run && (await findScope(deps.store.read, "run", runId, actor.userId));
  const isOwn =
    run &&
    run.userId === actor.userId &&
    run.projectId === projectId &&
    decide(actor, "view", scope) === "allowed";
  const connection = isOwn ? await getConnection(deps.store.read, run.connectionId) : undefined;
  if (!isOwn || connection?.kind !== falKind || appOf(run.modelId) !== app)
    throw new Problem("not_found", { message: sentences.fal.noRequest });
  return run;
}

export function createQueue(deps: ServerDeps, repeats: Repeats) {
  /** The last seq that a status reported, by run. Later events are reported at once. */
  const reported = new Map<string, number>();

  function recordReported({ id, lastSeq }: OwnedRun): void {
    reported.delete(id);
    reported.set(id, lastSeq);
    if (reported.size > maxReported) reported.delete(reported.keys().next().value!);
  }

  return {
    /** GET …/status. Like fal, responds with 202 until the run has ended. */
    async status(asking: Asking, app: string, runId: string, withLogs: boolean): Promise<Response> {
      let run = await findOwn(deps, asking, app, runId);
      repeats.acknowledge(run);
      if (!isOver(run) && run.lastSeq <= (reported.get(runId) ?? 0)) {
        await untilNews(deps, runId, run.lastSeq, asking.gone);
        run = await findOwn(deps, asking, app, runId);
      }
      recordReported(run);
      const status = statusOf(run, withLogs ? await readLogs(deps, runId) : undefined);
      return asking.c.json(status, status.status === "COMPLETED" ? 200 : 202, {
        "x-fal-request-id": runId,
      });
    },

    /**
     * GET …/status/stream: sends an event for each change, with new lines of the log, until the
     * end.
     */
    async statusStream(
      asking: Asking,
      app: string,
      runId: string,
      withLogs: boolean,
    ): Promise<Response> {
      repeats.acknowledge(await findOwn(deps, asking, app, runId));
      async function* source(): AsyncGenerator<StreamedEvent> {
        let last = "";
        for await (const event of followRun(deps, asking, runId)) {
          const run = await getRun(deps.store.read, runId);
          if (!run || isOver(run)) continue;
          const logs =
            withLogs && event.type === "log" && "payload" in event
              ? logsOf([{ type: "log", payload: event.payload as JsonObject }])
              : [];
          const status = { ...statusOf(run, undefined), ...(withLogs && { logs }) };
          const words = JSON.stringify(status);
          if (words !== last || logs.length > 0) yield { payload: status };
          last = words;
        }
        const ended = await getRun(deps.store.read, runId);
        if (!ended) throw new Problem("not_found");
        // Its key has ended. The client would take its last status for the final one.
        if (!isOver(ended)) throw problemOfRun(ended);
        yield { payload: statusOf(ended, undefined) };
      }
      return streamEvents(deps, asking.c, source, {
        headers: { "x-fal-request-id": runId },
        tears: true,
        onProblem: (problem) => ({ payload: toFalError(problem) }),
      });
    },

    /**
     * GET the result.
     * @throws Problem the run's failure
     */
    async result(asking: Asking, app: string, runId: string): Promise<Response> {
      const run = await findOwn(deps, asking, app, runId);
      repeats.acknowledge(run);
      if (!isOver(run))
        return asking.c.json({ detail: "Request is still in progress" }, 400, {
          "x-fal-request-id": runId,
        });
      if (run.state !== "succeeded") throw failureOf(run);
      return answerResult(deps, asking, run);
    },

    /** PUT …/cancel. */
    async cancel(asking: Asking, app: string, runId: string): Promise<Response> {
      const run = await findOwn(deps, asking, app, runId);
      repeats.acknowledge(run);
      if (isOver(run)) return asking.c.json({ status: "ALREADY_COMPLETED" }, 400);
      await deps.engine.cancelRun(runId);
      return asking.c.json({ status: "CANCELLATION_REQUESTED" }, 202);
    },
  };
}

/** Resolves once something was committed about the run, or after a limit. */
function untilNews(
  { hub, store }: ServerDeps,
  runId: string,
  after: number,
  gone: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      end();
      gone.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, heldMs);
    const end = hub.subscribe(runHint(runId), done);
    gone.addEventListener("abort", done, { once: true });
    if (gone.aborted) return done();
    // No notification covers commits between the caller's read and the subscription.
    getRun(store.read, runId).then((run) => {
      if (!run || run.lastSeq > after) done();
    }, reject);
  });
}
