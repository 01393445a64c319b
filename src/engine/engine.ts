import { isEpochReason, type WaitingReason } from "#contract/waiting-reasons.ts";
import type { Hint } from "#store/database/store.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { hooksHint, queuedHint } from "#store/runs/unit.ts";
import { approveRun, approveRuns } from "./admit/approve.ts";
import { createOwnership, type Ownership } from "./claim/ownership.ts";
import { createWorker, type Worker } from "./claim/worker.ts";
import { refreshAllModels } from "./connections/catalogue.ts";
import { changeConnection, ensureBuiltins } from "./connections/connect.ts";
import { closeAdapters } from "./connections/open-connection.ts";
import type { EngineDeps } from "./deps.ts";
import { cancelRun } from "./follow/cancel.ts";
import { createLiveTextRelay } from "./follow/live-text-relay.ts";
import { createWebhookReceiver } from "./follow/receive-webhook.ts";
import { type Attached, askableOf, recheckJob } from "./follow/recheck-job.ts";
import { createWebhookKeys } from "./follow/webhook-keys.ts";
import type { TopicNews } from "./hub.ts";
import { beginImport, type Imports, removeImport, startImports } from "./imports/imports.ts";
import { fetchMissing } from "./ingest/fetch-missing.ts";
import { startChores } from "./recover/chores.ts";
import { startBackups } from "./recover/scheduled-backups.ts";
import { whyRefused } from "./room.ts";
import { startToolLoop } from "./rounds/keeper.ts";
import { startTitleLoop } from "./rounds/titles.ts";
import { connectionTopic } from "./sessions/session-rights.ts";
import { createSessions } from "./sessions/sessions.ts";
import { startDeliverer } from "./webhooks/deliver.ts";

/** How often a connection's list of models is refreshed. */
const refreshMs = 6 * 60 * 60_000;

const cancelHint = "cancel:";
const lookHint = "look:";
const queuedPrefix = queuedHint("");

/**
 * Starts and stops the execution of runs, and notifies held runs, sessions and other servers.
 * Everything else is a function of the engine's folders, called with its dependencies.
 */
export type Engine = ReturnType<typeof createEngine>;

/**
 * Creates the engine.
 * @param options.role a `web` server admits and shows runs; only `worker` and `all` claim and
 *   follow them
 */
export function createEngine(
  deps: EngineDeps,
  options: { role: "web" | "worker" | "all"; workerId: string; bootId: string },
) {
  let worker: Worker | undefined;
  const exchange = deps.store.engine === "postgres" ? createLiveTextRelay(deps) : undefined;
  let ownership: Ownership | undefined;
  let imports: Imports | undefined;
  let isDraining = false;
  const sessions = createSessions(deps, options.workerId);
  const stops: (() => void | Promise<void>)[] = [];

  /** A commit is valid even if the other servers miss its notification: they also poll. */
  async function notifyServers(topic: string): Promise<void> {
    if (deps.store.engine !== "postgres") return;
    await deps.store
      .notify(deps.store.db, [{ topic }])
      .catch((error) =>
        deps.log.warn({ error: String(error) }, "could not tell the other servers"),
      );
  }

  function onHint(hint: Hint, serverId: string): void {
    const { topic, detail } = hint;
    if (exchange?.receive(hint, serverId)) return;
    if (topic === hooksHint) deps.hub.hooks();
    else if (topic.startsWith(queuedPrefix)) deps.hub.queued(topic.slice(queuedPrefix.length));
    else if (topic.startsWith(lookHint)) worker?.requestPoll(topic.slice(lookHint.length));
    else if (topic.startsWith(cancelHint))
      void cancelIfAsked(topic.slice(cancelHint.length)).catch((error) =>
        deps.log.warn({ error: String(error) }, "could not look at a run"),
      );
    else {
      const hasWatchers = detail !== undefined && deps.hub.isWatched(topic);
      deps.hub.hint(topic, hasWatchers ? (JSON.parse(detail) as TopicNews) : {});
    }
  }

  /** The cancel may have been requested on another server. */
  async function cancelIfAsked(runId: string): Promise<void> {
    const run = await getRun(deps.store.read, runId);
    if (run?.cancelRequestedAt && run.workerId === options.workerId && !sessions.cancel(runId))
      worker?.cancel(runId);
  }

  /** Downloads missing files of ended runs; after a stop, a chore continues. */
  const fetchEnd = new AbortController();
  const fetching = new Set<Promise<unknown>>();
  function fetchSoon(runId: string): void {
    const work = fetchMissing(deps, runId, fetchEnd.signal)
      .catch((error) =>
        deps.log.warn(
          { runId, error: String(error) },
          "could not save a result that arrived after its run had ended",
        ),
      )
      .finally(() => fetching.delete(work));
    fetching.add(work);
  }

  const takeUp = (run: OwnedRun): void => worker?.resume([run]);
  // A web server follows no jobs. A run that it finds has no owner, and the next worker to send a
  // heartbeat adopts it.
  const finderId = options.role === "web" ? "" : options.workerId;
  const receiveWebhook = createWebhookReceiver(deps, createWebhookKeys(deps.clock), {
    workerId: finderId,
    found: takeUp,
    requestPoll(runId) {
      worker?.requestPoll(runId);
      void notifyServers(`${lookHint}${runId}`);
    },
    promised: fetchSoon,
  });

  async function look(runId: string, attached?: Attached): Promise<boolean> {
    const run = await recheckJob(deps, runId, finderId, attached);
    if (run === "late") fetchSoon(runId);
    else if (run) takeUp(run);
    return run !== undefined;
  }

  /** Ends a connection's sessions on all servers. */
  async function endSessionsOf(connectionId: string): Promise<void> {
    await notifyServers(connectionTopic(connectionId));
    await sessions.endOf(connectionId);
  }

  /** Makes open sessions on these connections check their access again, on every server. */
  async function notifyModelsChanged(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) {
      deps.hub.hint(connectionTopic(id));
      await notifyServers(connectionTopic(id));
    }
  }

  /**
   * Releasing a restored queue declares this database the one in use. A running original keeps its
   * files.
   */
  async function takeOverFiles(): Promise<void> {
    if (deps.fileOwner?.ownership() !== "copy") return;
    await deps.fileOwner
      .takeOver()
      .catch((error) =>
        deps.log.warn({ error: String(error) }, "the files still belong to another database"),
      );
  }

  return {
    deps,
    notifyModelsChanged,
    async start(): Promise<void> {
      await ensureBuiltins(deps);
      if (exchange) stops.push(exchange.stop);
      stops.push(
        await deps.store.listen(onHint, () => {
          deps.hub.gap();
          worker?.wake();
        }),
      );
      if (options.role !== "web") {
        const tools = startToolLoop(deps);
        const titles = startTitleLoop(deps);
        stops.push(tools.stop, titles.stop);
        worker = createWorker(deps, options.workerId, {
          isSession: sessions.has,
          ended(run) {
            tools.ended(run);
            titles.ended(run);
          },
        });
        stops.push(deps.hub.enlist(worker.claimer));
      }
      // A web server owns only the sessions open on it, and adopts no runs.
      ownership = await createOwnership(deps, options.workerId, options.bootId, {
        ...(worker && { adopted: worker.resume }),
        isDraining: () => isDraining,
        declaredDead() {
          sessions.letGo();
          worker?.letGo();
        },
      });
      if (options.role === "web") return;
      stops.push(startDeliverer(deps));
      imports = startImports(deps, options.workerId);
      stops.push(imports.stop);
      stops.push(startChores(deps, options.workerId, takeUp));
      stops.push(startBackups(deps, options.workerId));
      const refresh = setInterval(
        () =>
          void refreshAllModels(deps).catch((error) =>
            deps.log.warn({ error: String(error) }, "could not refresh the models"),
          ),
        refreshMs,
      ).unref();
      stops.push(() => clearInterval(refresh));
    },
    /**
     * The first half of a stop: nothing more is claimed, and active work continues. New runs are
     * still admitted, and start on another server or after the restart.
     * @param most aborted when work still active is given up
     */
    async drain(most: AbortSignal): Promise<void> {
      isDraining = true;
      sessions.drain();
      await worker?.drain(most);
    },
    /**
     * Releases everything this server owns, so that the next start or another server resumes it
     * immediately.
     */
    async stop(): Promise<void> {
      // Stops both before anything else, so that nothing new starts while the rest ends.
      const working = Promise.all([sessions.stop(), worker?.stop()]);
      for (const stop of stops.splice(0)) await stop();
      await working;
      fetchEnd.abort();
      await Promise.allSettled(fetching);
      await closeAdapters(deps);
      await ownership?.stop();
    },
    ownership: () => ownership,
    /** Who owns the files, and why their storage fails or refuses new files. */
    async storage() {
      const { trouble, everWorked } = deps.fileOwner?.health() ?? {
        trouble: null,
        everWorked: true,
      };
      return {
        files: deps.fileOwner?.ownership() ?? ("owner" as const),
        trouble: trouble ?? (await whyRefused(deps)),
        everWorked,
      };
    },
    running: () => worker?.size() ?? 0,

    async cancelRun(runId: string) {
      const run = await cancelRun(deps, runId, (id) => sessions.cancel(id) || worker?.cancel(id));
      await notifyServers(`${cancelHint}${runId}`);
      // An unconfirmed job with a known id can be found and canceled now.
      if (run.state === "unconfirmed" && (await askableOf(deps, run)).canLook)
        void look(runId).catch((error) =>
          deps.log.warn({ runId, error: String(error) }, "could not look for a job to cancel"),
        );
      return run;
    },
    /**
     * Opens a live session, whose frames go to the canvas until either side ends it.
     * @throws Problem as `admitSession` does
     */
    openSession: sessions.open,
    pinFrame: sessions.pin,
    issueToken: sessions.issueToken,
    endSessionsOf,
    openSessions: sessions.size,
    async approveRun(runId: string, waitingFor: WaitingReason, word?: { always: boolean }) {
      const run = await approveRun(deps, runId, waitingFor, word);
      if (isEpochReason(waitingFor)) await takeOverFiles();
      return run;
    },
    async approveRuns(which: Parameters<typeof approveRuns>[1]) {
      const approved = await approveRuns(deps, which);
      if (isEpochReason(which.waitingFor) && approved > 0) await takeOverFiles();
      return approved;
    },
    /** Whether the provider knows the job of an unconfirmed run, which then resumes. */
    lookAgain: (runId: string) => look(runId),
    attachJob: (runId: string, attached: Attached) => look(runId, attached),
    fetchMissing: (runId: string) => fetchMissing(deps, runId, fetchEnd.signal),
    receiveWebhook,
    async beginImport(sent: Parameters<typeof beginImport>[1]) {
      const begun = await beginImport(deps, sent);
      imports?.wake();
      return begun;
    },
    async removeImport(id: string, userId: string) {
      await removeImport(deps, id, userId);
      imports?.wake();
    },
    async changeConnection(id: string, change: Parameters<typeof changeConnection>[2]) {
      const changed = await changeConnection(deps, id, change);
      // Open sessions still use the previous address and key, so they have to end.
      if (change.values || change.disabled) await endSessionsOf(id);
      return changed;
    },
  };
}
