import type { Model, ModelRef, Run, WaitingReason } from "#contract/entities.ts";
import { hooksHint, queuedHint } from "#store/runs/outbox.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { Asker } from "./admit/admission.ts";
import { type AloneAsk, admitAlone } from "./admit/admit-alone.ts";
import {
  admitAnswer,
  admitMessage,
  type ConversationAsk,
  createConversation,
  type MessageAsk,
} from "./admit/admit-chat.ts";
import { admitAgain, admitBatch, type MediaAsk } from "./admit/admit-media.ts";
import { admitTurns, type TurnsAsk } from "./admit/admit-turns.ts";
import { approveRun, approveRuns, reviewWaiting } from "./admit/approve.ts";
import { type ContextAsk, chooseContext, estimateSummary } from "./admit/context/choose.ts";
import { withPriceShown } from "./admit/price-shown.ts";
import { type EstimateAsk, estimateTurn } from "./admit/turn.ts";
import { adoptCosts } from "./bills/adopt-costs.ts";
import {
  compareBill,
  compareInvoice,
  type InvoiceAsk,
  type MayOpen,
} from "./bills/compare-bill.ts";
import { createOwnership, type Ownership } from "./claim/ownership.ts";
import { createWorker, type Worker } from "./claim/worker.ts";
import { checkConnection, refreshAllModels } from "./connections/catalogue.ts";
import { pauseOf, requireService, whyPaused } from "./connections/circuit.ts";
import {
  changeConnection,
  connect,
  ensureBuiltins,
  listKinds,
  type NewConnection,
} from "./connections/connect.ts";
import { discover, takeFound } from "./connections/discover.ts";
import { loadedModels, pullModel, removeModel } from "./connections/local-models.ts";
import { closeAdapters } from "./connections/open-connection.ts";
import { isFreeAt, runPlaceOf } from "./connections/run-place.ts";
import { beginSignIn, finishSignIn, readState, takeSignIn } from "./connections/sign-in.ts";
import { stateFacts } from "./connections/state-facts.ts";
import {
  addWorkflow,
  listWorkflows,
  removeWorkflow,
  replaceWorkflow,
  type WorkflowWish,
} from "./connections/workflows.ts";
import type { EngineDeps } from "./deps.ts";
import {
  cancelRun,
  type PersonsWord,
  refuseRun,
  resolveRun,
  withdrawRun,
} from "./follow/cancel.ts";
import { type Attached, askableOf, lookAgain } from "./follow/look-again.ts";
import { createWebhookDoor } from "./follow/receive-webhook.ts";
import { createWebhookKeys } from "./follow/webhook-keys.ts";
import { beginImport, type Imports, removeImport, startImports } from "./imports/imports.ts";
import { fetchMissing } from "./ingest/fetch-missing.ts";
import { type GivenFile, keepGiven, readAddress } from "./ingest/keep-given.ts";
import { keepSent, keepUpload } from "./ingest/upload.ts";
import { startChores } from "./recover/chores.ts";
import { whyRefused } from "./room.ts";
import type { SessionAsk } from "./sessions/admit-session.ts";
import type { Canvas } from "./sessions/live-session.ts";
import { connectionTopic } from "./sessions/session-rights.ts";
import { createSessions } from "./sessions/sessions.ts";
import { startToolKeeper } from "./tools/keeper.ts";
import { startDeliverer } from "./webhooks/deliver.ts";
import {
  addWebhookEndpoint,
  changeWebhookEndpoint,
  deliverAgain,
  rotateSecret,
  testWebhook,
} from "./webhooks/endpoints.ts";

/** A connection's list of models is read again so often. */
const refreshMs = 6 * 60 * 60_000;

const cancelHint = "cancel:";
const lookHint = "look:";
const queuedPrefix = queuedHint("");

/** What a function of the engine takes beside its dependencies. */
type Rest<F> = F extends (deps: EngineDeps, ...rest: infer R) => unknown ? R : never;

/** What moves runs along the road. */
export type Engine = ReturnType<typeof createEngine>;

/** @param options.role a `web` server admits and shows; only `worker` and `all` claim and follow */
export function createEngine(
  deps: EngineDeps,
  options: { role: "web" | "worker" | "all"; workerId: string; bootId: string },
) {
  let worker: Worker | undefined;
  let ownership: Ownership | undefined;
  let imports: Imports | undefined;
  let isDraining = false;
  const sessions = createSessions(deps, options.workerId);
  const stops: (() => void | Promise<void>)[] = [];

  /** What was committed stands, whether or not the others hear of it at once: they look by themselves, too. */
  async function tellOthers(hint: string): Promise<void> {
    if (deps.store.engine !== "postgres") return;
    await deps.store
      .notify(deps.store.db, hint)
      .catch((error) =>
        deps.log.warn({ error: String(error) }, "could not tell the other servers"),
      );
  }

  function onHint(hint: string): void {
    if (hint === hooksHint) deps.hub.hooks();
    else if (hint.startsWith(queuedPrefix)) deps.hub.queued(hint.slice(queuedPrefix.length));
    else if (hint.startsWith(lookHint)) worker?.lookNow(hint.slice(lookHint.length));
    else if (hint.startsWith(cancelHint))
      void cancelIfAsked(hint.slice(cancelHint.length)).catch((error) =>
        deps.log.warn({ error: String(error) }, "could not look at a run"),
      );
    else deps.hub.hint(hint);
  }

  /** A cancel may have been asked for on another server. */
  async function cancelIfAsked(runId: string): Promise<void> {
    const run = await getRun(deps.store.read, runId);
    if (run?.cancelRequestedAt && run.workerId === options.workerId && !sessions.cancel(runId))
      worker?.cancel(runId);
  }

  /** Bringing files of ended runs home; should the server stop meanwhile, a chore goes on with them. */
  const fetchEnd = new AbortController();
  const fetching = new Set<Promise<unknown>>();
  function fetchSoon(runId: string): void {
    const work = fetchMissing(deps, runId, fetchEnd.signal)
      .catch((error) =>
        deps.log.warn(
          { runId, error: String(error) },
          "could not bring home what came after a run's end",
        ),
      )
      .finally(() => fetching.delete(work));
    fetching.add(work);
  }

  const takeUp = (run: OwnedRun): void => worker?.resume([run]);
  // A server that only answers people follows no job: what it finds belongs to nobody, and the next worker that beats adopts it.
  const finderId = options.role === "web" ? "" : options.workerId;
  const receiveWebhook = createWebhookDoor(deps, createWebhookKeys(deps.clock), {
    workerId: finderId,
    found: takeUp,
    lookNow(runId) {
      worker?.lookNow(runId);
      void tellOthers(`${lookHint}${runId}`);
    },
    promised: fetchSoon,
  });

  async function look(runId: string, attached?: Attached): Promise<boolean> {
    const run = await lookAgain(deps, runId, finderId, attached);
    if (run === "late") fetchSoon(runId);
    else if (run) takeUp(run);
    return run !== undefined;
  }

  /** What is drawn on a connection ends, here and on the other servers. */
  async function endSessionsOf(connectionId: string): Promise<void> {
    await tellOthers(connectionTopic(connectionId));
    await sessions.endOf(connectionId);
  }

  /** Whoever may use what of these connections was changed: what is open on them asks anew, here and on the other servers. */
  async function tellModelsChanged(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) {
      deps.hub.hint(connectionTopic(id));
      await tellOthers(connectionTopic(id));
    }
  }

  /** Who lets a restored queue go on means this database to be the one that is used. A living original keeps its files. */
  async function takeOverFiles(): Promise<void> {
    if (deps.fileOwner?.ownership() !== "copy") return;
    await deps.fileOwner
      .takeOver()
      .catch((error) =>
        deps.log.warn({ error: String(error) }, "the files stay another database's"),
      );
  }

  return {
    deps,
    tellModelsChanged,
    async start(): Promise<void> {
      await ensureBuiltins(deps);
      stops.push(
        await deps.store.listen(onHint, () => {
          deps.hub.gap();
          worker?.wake();
        }),
      );
      if (options.role !== "web") {
        const tools = startToolKeeper(deps);
        stops.push(tools.stop);
        worker = createWorker(deps, options.workerId, {
          isSession: sessions.has,
          ended(run) {
            if (run.messageId) tools.wake(run.messageId);
          },
        });
        stops.push(deps.hub.onQueued(worker.wake));
      }
      // A server that only answers people owns the sessions that are drawn on it, and takes up no one's runs.
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
     * The first half of a stop: nothing more is claimed, what is in flight goes on. New work is admitted all the same, and begins
     * at another server or after the restart.
     * @param most when what is still in flight is given up
     */
    async drain(most: AbortSignal): Promise<void> {
      isDraining = true;
      sessions.drain();
      await worker?.drain(most);
    },
    /** Lets go of what it owns, so that the next start (or another server) takes it up at once. */
    async stop(): Promise<void> {
      // At once, so that nothing more is begun while the others end.
      const working = Promise.all([sessions.stop(), worker?.stop()]);
      for (const stop of stops.splice(0)) await stop();
      await working;
      fetchEnd.abort();
      await Promise.allSettled(fetching);
      await closeAdapters(deps);
      await ownership?.stop();
    },
    ownership: () => ownership,
    /** Whose the files are, and why their storage does not work or takes nothing new. */
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

    admitBatch: (asker: Asker, ask: MediaAsk) => admitBatch(deps, asker, ask),
    admitAlone: (asker: Asker, ask: AloneAsk) => admitAlone(deps, asker, ask),
    createConversation: (asker: Asker, ask: ConversationAsk) =>
      createConversation(deps, asker, ask),
    admitMessage: (asker: Asker, ask: MessageAsk) => admitMessage(deps, asker, ask),
    admitAnswer: (asker: Asker, ask: Parameters<typeof admitAnswer>[2]) =>
      admitAnswer(deps, asker, ask),
    admitTurns: (asker: Asker, ask: TurnsAsk) => admitTurns(deps, asker, ask),
    chooseContext: (asker: Asker, ask: ContextAsk) => chooseContext(deps, asker, ask),
    estimateSummary: (...ask: Rest<typeof estimateSummary>) => estimateSummary(deps, ...ask),
    estimateTurn: (asker: Asker, ask: EstimateAsk) => estimateTurn(deps, asker, ask),
    tryAgain: (asker: Asker, run: OwnedRun, seed: "same" | "another", idempotencyKey?: string) =>
      admitAgain(deps, asker, run, seed, idempotencyKey),
    async cancelRun(runId: string) {
      const run = await cancelRun(deps, runId, (id) => sessions.cancel(id) || worker?.cancel(id));
      await tellOthers(`${cancelHint}${runId}`);
      // An unconfirmed job whose id is known can be found, and stopped, now.
      if (run.state === "unconfirmed" && (await askableOf(deps, run)).canLook)
        void look(runId).catch((error) =>
          deps.log.warn({ runId, error: String(error) }, "could not look for a job to cancel"),
        );
      return run;
    },
    withdrawRun: (runId: string) => withdrawRun(deps, runId),
    /** A live session, whose frames go to the canvas until one of them ends it. @throws Problem as `admitSession` says */
    openSession: (asker: Asker, ask: SessionAsk, canvas: Canvas) =>
      sessions.open(asker, ask, canvas),
    pinFrame: (userId: string, runId: string, frame: number) => sessions.pin(userId, runId, frame),
    endSessionsOf,
    openSessions: () => sessions.size(),
    async approveRun(runId: string, waitingFor: WaitingReason, word?: { always: boolean }) {
      const run = await approveRun(deps, runId, waitingFor, word);
      if (waitingFor === "restore") await takeOverFiles();
      return run;
    },
    refuseRun: (runId: string, waitingFor: WaitingReason) => refuseRun(deps, runId, waitingFor),
    reviewWaiting: () => reviewWaiting(deps),
    async approveRuns(which: Parameters<typeof approveRuns>[1]) {
      const approved = await approveRuns(deps, which);
      if (which.waitingFor === "restore" && approved > 0) await takeOverFiles();
      return approved;
    },
    resolveRun: (runId: string, word: PersonsWord) => resolveRun(deps, runId, word),
    askableOf: (run: OwnedRun) => askableOf(deps, run),
    /** Whether the provider knows the job of an unconfirmed run, which then goes on. */
    lookAgain: (runId: string) => look(runId),
    attachJob: (runId: string, attached: Attached) => look(runId, attached),
    fetchMissing: (runId: string) => fetchMissing(deps, runId, fetchEnd.signal),
    receiveWebhook,
    checkConnection: (connectionId: string) => checkConnection(deps, connectionId),
    stateFacts: (change: Parameters<typeof stateFacts>[1]) => stateFacts(deps, change),
    beginSignIn: (asked: Parameters<typeof beginSignIn>[1]) => beginSignIn(deps, asked),
    readSignInState: readState,
    takeSignIn: (back: Parameters<typeof takeSignIn>[1]) => takeSignIn(deps, back),
    finishSignIn: (connectionId: string, given: Parameters<typeof finishSignIn>[2]) =>
      finishSignIn(deps, connectionId, given),
    keepGiven: (file: GivenFile) => keepGiven(deps, file),
    readAddress: (url: string, mostBytes: number, signal: AbortSignal) =>
      readAddress(deps, url, mostBytes, signal),
    /** Bytes that become part of a file within the hour. */
    keepSent: (source: Parameters<typeof keepSent>[1], mostBytes: number) =>
      keepSent(deps, source, mostBytes),
    keepUpload: (upload: Parameters<typeof keepUpload>[1]) => keepUpload(deps, upload),
    async beginImport(sent: Parameters<typeof beginImport>[1]) {
      const begun = await beginImport(deps, sent);
      imports?.wake();
      return begun;
    },
    async removeImport(id: string, userId: string) {
      await removeImport(deps, id, userId);
      imports?.wake();
    },
    /** What a person can connect, as the kinds declare it. */
    listKinds: () => listKinds(deps),
    /** Why a queued run waits for its service, and until when; null when it does not. */
    pauseOf: (run: ModelRef & Pick<Run, "state" | "waitingFor">, mayManage: boolean) =>
      run.state === "queued" && run.waitingFor === null ? pauseOf(deps, run, mayManage) : null,
    /** @throws Problem unavailable, with the time to come again, while nothing is sent to a model */
    requireService: (model: ModelRef) => requireService(deps, model),
    /** Why a queued run's caller is told to come again; null while its run waits for a place alone. */
    whyPaused: (runId: string) => whyPaused(deps, runId),
    runPlaceOf: (connection: { kind: string; baseUrls: Record<string, string> }) =>
      runPlaceOf(deps.kinds.get(connection.kind), connection),
    /** Whether a connection's models are free of charge, whatever their list says. */
    isFreeAt: (connection: { kind: string; baseUrls: Record<string, string> }) =>
      isFreeAt(deps.kinds.get(connection.kind), connection),
    withPriceShown: <Shown extends Model>(models: readonly Shown[]) => withPriceShown(deps, models),
    isBuiltin: (kind: string) => deps.kinds.get(kind)?.builtin === true,
    connect: (wanted: NewConnection) => connect(deps, wanted),
    async changeConnection(id: string, change: Parameters<typeof changeConnection>[2]) {
      const changed = await changeConnection(deps, id, change);
      // What is open goes on with what it was opened with: another address, another key, or none.
      if (change.values || change.disabled) await endSessionsOf(id);
      return changed;
    },
    discover: (environment: Readonly<Record<string, string | undefined>>) =>
      discover(deps, environment),
    takeFound: (
      environment: Readonly<Record<string, string | undefined>>,
      take: string,
      userId: string,
    ) => takeFound(deps, environment, take, userId),
    pullModel: (connectionId: string, model: string, signal: AbortSignal) =>
      pullModel(deps, connectionId, model, signal),
    removeModel: (connectionId: string, model: string) => removeModel(deps, connectionId, model),
    listWorkflows: (connectionId: string) => listWorkflows(deps, connectionId),
    addWorkflow: (wish: WorkflowWish) => addWorkflow(deps, wish),
    replaceWorkflow: (wish: WorkflowWish & { id: string }) => replaceWorkflow(deps, wish),
    removeWorkflow: (connectionId: string, id: string) => removeWorkflow(deps, connectionId, id),
    addWebhookEndpoint: (...wanted: Rest<typeof addWebhookEndpoint>) =>
      addWebhookEndpoint(deps, ...wanted),
    changeWebhookEndpoint: (...change: Rest<typeof changeWebhookEndpoint>) =>
      changeWebhookEndpoint(deps, ...change),
    rotateSecret: (id: string) => rotateSecret(deps, id),
    testWebhook: (id: string) => testWebhook(deps, id),
    deliverAgain: (...which: Rest<typeof deliverAgain>) => deliverAgain(deps, ...which),
    compareBill: (connectionId: string, ask: Parameters<typeof compareBill>[2], mayOpen: MayOpen) =>
      compareBill(deps, connectionId, ask, mayOpen),
    compareInvoice: (connectionId: string, ask: InvoiceAsk, mayOpen: MayOpen) =>
      compareInvoice(deps, connectionId, ask, mayOpen),
    adoptCosts: (
      connectionId: string,
      costs: Parameters<typeof adoptCosts>[2],
      by: Parameters<typeof adoptCosts>[3],
    ) => adoptCosts(deps, connectionId, costs, by),
    loadedModels: (connectionId: string) => loadedModels(deps, connectionId),
  };
}
