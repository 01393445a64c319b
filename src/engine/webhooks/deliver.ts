import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  claimDeliveries,
  type Delivery,
  endpointsWithDue,
  findPending,
  giveUpWaiting,
  recordTry,
} from "#store/webhooks/webhook-deliveries.ts";
import { noteFailing, pauseEndpoint, type WebhookEndpoint } from "#store/webhooks/webhooks.ts";
import type { EngineDeps } from "../deps.ts";
import type { Answered, Flight, Lane } from "./lanes.ts";
import { post, timeoutMs } from "./post.ts";
import { lanesOfRuns } from "./run-calls.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/**
 * Waits after each failed attempt, as Standard Webhooks recommends. After the last one, a little
 * more than a day after the first, the delivery is given up.
 */
const waitsMs = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour];
/** How long a server holds a delivery: longer than an attempt can take. */
const claimMs = 2 * timeoutMs;
/** The longest wait after each number of attempts, with a margin for two servers' clocks. */
const waitsMostMs = [0, ...waitsMs].map((ms) => Math.max(ms, claimMs) + minute);
/**
 * How long a delivery is attempted. At an address that has failed for longer than this, older
 * deliveries are given up with the next failure.
 */
const triedMs = waitsMs.reduce((sum, ms) => sum + ms, 0);
/**
 * Concurrent deliveries: in total, and per webhook, so that a slow one does not block the others.
 */
const atOnce = 40;
const atOnceEach = 4;
/**
 * A failing address gets one delivery at a time, with growing pauses, so that ten thousand waiting
 * deliveries don't overload a recovering server.
 */
const restMs = (failures: number): number => Math.min(250 * 2 ** failures, 2 * minute);
/**
 * How long after its pause an address is treated as failing: longer than a run's webhook waits for
 * its next attempt.
 */
const weakMs = hour;
/** How often due deliveries are looked up without a notification. */
const pollMs = 5_000;
const randomEnd = 2 ** 31;

const notAnsweredFor = sentences.webhooks.ownerLostAccess;
const pausedGone = sentences.webhooks.gone;
const pausedDead = sentences.webhooks.dead({ days: limits.webhookDeadDays });

export type Deliverer = {
  /** Reports that a delivery may be due. */
  wake(): void;
  /** Resolves when no more deliveries can be sent now. */
  settled(): Promise<void>;
  /** Releases deliveries in progress: their claim expires, and another server sends them. */
  stop(): Promise<void>;
};

/**
 * Sends pending deliveries to webhooks, at least once each: receivers detect repeats by
 * `webhook-id`.
 */
export function createDeliverer(deps: EngineDeps): Deliverer {
  const busy = new Map<string, number>();
  /** Addresses whose last attempt failed, and when their pause ends on the monotonic clock. */
  const weak = new Map<string, { failures: number; until: number }>();
  const flying = new Set<Promise<void>>();
  const end = new AbortController();
  let looking: Promise<void> | undefined;
  let again = false;

  function wake(): void {
    if (end.signal.aborted) return;
    if (looking) {
      again = true;
      return;
    }
    looking = poll()
      .catch((error) => deps.log.warn({ error: String(error) }, "could not deliver webhooks"))
      .finally(() => {
        looking = undefined;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  async function poll(): Promise<void> {
    const now = deps.clock.now();
    forgetWeak();
    for await (const lane of lanes(now)) {
      if (end.signal.aborted) return;
      const most = roomFor(lane);
      if (most <= 0) continue;
      for (const flight of await lane.claim(most)) start(lane, flight);
    }
  }

  /**
   * Forgets addresses whose pause ended long ago, because clients may pass a different one with
   * each run.
   */
  function forgetWeak(): void {
    const before = deps.clock.monotonic() - weakMs;
    for (const [id, { until }] of weak) if (until < before) weak.delete(id);
  }

  async function* lanes(now: number): AsyncGenerator<Lane> {
    const pending = await findPending(deps.store.read);
    if (pending.deliveries) yield* lanesOfEndpoints(deps, now);
    if (pending.calls) yield* lanesOfRuns(deps, now, claimMs);
  }

  function roomFor({ id, group }: Lane): number {
    const rest = weak.get(id);
    if (rest && rest.until > deps.clock.monotonic()) return 0;
    return Math.min(
      (rest ? 1 : atOnceEach) - (busy.get(id) ?? 0),
      atOnce - flying.size,
      group ? group.most - (busy.get(group.id) ?? 0) : atOnce,
    );
  }

  function occupy({ id, group }: Lane, change: 1 | -1): void {
    for (const one of group ? [id, group.id] : [id]) {
      const places = (busy.get(one) ?? 0) + change;
      if (places === 0) busy.delete(one);
      else busy.set(one, places);
    }
  }

  function start(lane: Lane, { send, record }: Flight): void {
    occupy(lane, 1);
    const flight = deliver(lane, send, record)
      .catch((error) =>
        deps.log.warn(
          { lane: lane.id, error: String(error) },
          "could not save the outcome of a webhook",
        ),
      )
      .finally(() => {
        flying.delete(flight);
        occupy(lane, -1);
        wake();
      });
    flying.add(flight);
  }

  async function deliver(
    { id }: Lane,
    send: Flight["send"],
    record: Flight["record"],
  ): Promise<void> {
    const since = deps.clock.monotonic();
    const answered = await send(end.signal);
    if (end.signal.aborted) return;
    if (answered.failure === null) {
      await deps.failpoints?.at("hook.taken");
      weak.delete(id);
    } else if (!answered.isWithdrawn) {
      const failures = (weak.get(id)?.failures ?? 0) + 1;
      weak.set(id, { failures, until: deps.clock.monotonic() + restMs(failures) });
    }
    await record(answered, Math.round(deps.clock.monotonic() - since));
  }

  return {
    wake,
    async settled() {
      wake();
      while (looking || flying.size > 0) await (looking ?? Promise.race(flying));
    },
    async stop() {
      end.abort();
      await Promise.allSettled([...flying, looking]);
    },
  };
}

/** Due deliveries to the webhooks of projects and of the instance. */
async function* lanesOfEndpoints(deps: EngineDeps, now: number): AsyncGenerator<Lane> {
  const due = { now, waitsMostMs };
  for (const endpoint of await endpointsWithDue(deps.store.read, due)) {
    if (!endpoint.isAnsweredFor) {
      await deps.commit(({ tx }) => giveUpWaiting(tx, endpoint.id, notAnsweredFor));
      continue;
    }
    const claim = {
      ...due,
      endpointId: endpoint.id,
      makerId: endpoint.maker.id,
      untilMs: now + claimMs,
    };
    yield {
      id: endpoint.id,
      claim: async (most) =>
        (await deps.commit(({ tx }) => claimDeliveries(tx, { ...claim, most }))).map(
          (delivery) => ({
            send: (signal) => post(deps, endpoint, delivery, signal),
            record: (answered, tookMs) => record(deps, endpoint, delivery, answered, tookMs),
          }),
        ),
    };
  }
}

/**
 * Shortens a wait by up to a tenth, so that deliveries that failed together don't repeat together.
 */
const jittered = (deps: EngineDeps, ms: number): number =>
  Math.round(ms * (1 - deps.random() / randomEnd / 10));

/** Records an attempt's result and the state of its address. */
async function record(
  deps: EngineDeps,
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  answered: Answered,
  tookMs: number,
): Promise<void> {
  const at = deps.clock.now();
  const { failure, ...response } = answered;
  const waitMs = waitsMs[delivery.attempts - 1];
  const tooOld = at - triedMs;
  const isLongFailing = endpoint.failingSince !== null && endpoint.failingSince < tooOld;
  const isLast = waitMs === undefined || (isLongFailing && delivery.createdAt < tooOld);
  await deps.commit(async ({ tx }) => {
    // Locks the webhook's row before its deliveries, in the same order as a removal.
    await noteFailing(tx, endpoint.id, failure === null ? null : at);
    await recordTry(tx, delivery.id, {
      ...response,
      status: failure === null ? "delivered" : isLast ? "given-up" : "waiting",
      nextAt: at + jittered(deps, waitMs ?? 0),
      lastError: failure,
      triedAt: at,
      tookMs,
    });
    if (failure === null) return;
    const why = whyPaused(endpoint, answered.httpStatus, at);
    if (why) await pauseEndpoint(tx, endpoint.id, why, at);
    if (why) await giveUpWaiting(tx, endpoint.id, why);
    else if (isLongFailing) await giveUpWaiting(tx, endpoint.id, failure, tooOld);
  });
}

/**
 * Why a webhook is paused until a person resumes it; 410 is the receiver's request for that (RFC
 * 9110, 15.5.11).
 */
function whyPaused(
  { failingSince }: WebhookEndpoint,
  httpStatus: number | null,
  at: number,
): string | undefined {
  if (httpStatus === 410) return pausedGone;
  return failingSince !== null && failingSince < at - limits.webhookDeadDays * day
    ? pausedDead
    : undefined;
}

/**
 * Delivers until the server stops.
 * @returns a function that stops it
 */
export function startDeliverer(deps: EngineDeps): () => Promise<void> {
  const deliverer = createDeliverer(deps);
  const timer = setInterval(deliverer.wake, pollMs).unref();
  const deaf = deps.hub.onHooks(deliverer.wake);
  deliverer.wake();
  return async () => {
    clearInterval(timer);
    deaf();
    await deliverer.stop();
  };
}
