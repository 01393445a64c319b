import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import {
  claimCalls,
  lanesWithDue,
  type RunWebhook,
  recordCall,
} from "#store/webhooks/run-webhooks.ts";
import type { EngineDeps, RunCaller } from "../deps.ts";
import type { Answered, Flight, Lane } from "./lanes.ts";
import { postParcel } from "./post.ts";

const second = 1_000;
const minute = 60 * second;
/**
 * Waits after each failed attempt: ten repeats within two hours, like fal (fal.ai/docs,
 * "Webhooks").
 */
const waitsMs = [
  10 * second,
  30 * second,
  1 * minute,
  2 * minute,
  4 * minute,
  8 * minute,
  15 * minute,
  20 * minute,
  30 * minute,
  39 * minute,
];
/** The longest wait, with a margin for two servers' clocks. */
const waitMostMs = Math.max(...waitsMs) + minute;
/**
 * The slots of all webhooks of single runs together, which leaves the remaining ones to projects.
 */
const places = { id: "runs", most: 20 };

/** Due deliveries to the addresses that clients passed with single runs. */
export async function* lanesOfRuns(
  deps: EngineDeps,
  now: number,
  claimMs: number,
): AsyncGenerator<Lane> {
  const { runCaller } = deps;
  if (!runCaller) return;
  const due = { now, waitMostMs };
  const lanes = await lanesWithDue(deps.store.read, due);
  // Starts with a different lane each time, so that one person's slow addresses don't block
  // everyone else's.
  const first = lanes.length > 0 ? deps.random() % lanes.length : 0;
  for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)])
    yield {
      id: `${lane.userId} ${lane.origin}`,
      group: places,
      claim: async (most) =>
        (
          await deps.commit(({ tx }) =>
            claimCalls(tx, { ...due, ...lane, untilMs: now + claimMs, most }),
          )
        ).map((hook) => flightOf(deps, runCaller, hook)),
    };
}

const unwritten = (error: unknown): { failure: string } => ({
  failure: error instanceof Error ? error.message : String(error),
});

function flightOf(deps: EngineDeps, { parcelOf }: RunCaller, hook: RunWebhook): Flight {
  let run: OwnedRun | undefined;
  return {
    async send(signal) {
      run = await getRun(deps.store.db, hook.runId);
      // A delivery that can't be built now is retried as often as one that isn't accepted.
      const parcel = run && (await parcelOf(hook, run).catch(unwritten));
      if (parcel && "failure" in parcel) return { ...parcel, httpStatus: null, answer: null };
      if (parcel && !("refusal" in parcel)) return postParcel(deps, parcel, signal);
      return {
        failure: parcel?.refusal ?? sentences.webhooks.ownerLostAccess,
        httpStatus: null,
        answer: null,
        isWithdrawn: true,
      };
    },
    record: (answered) => record(deps, hook, answered, run),
  };
}

async function record(
  deps: EngineDeps,
  { runId, attempts, url }: RunWebhook,
  { failure, httpStatus, isWithdrawn }: Answered,
  run: OwnedRun | undefined,
): Promise<void> {
  const at = deps.clock.now();
  const waitMs = isWithdrawn || httpStatus === 410 ? undefined : waitsMs[attempts - 1];
  const isDelivered = failure === null;
  // A run reported as unconfirmed may resume, and its end is reported as well.
  const reportsUnconfirmed = isDelivered && run?.finishedAt === null;
  const givenUp = waitMs === undefined ? "given-up" : "waiting";
  await deps.commit(({ tx }) =>
    recordCall(tx, runId, {
      status: isDelivered && !reportsUnconfirmed ? "delivered" : isDelivered ? "waiting" : givenUp,
      nextAt: at + (isDelivered ? 0 : (waitMs ?? 0)),
      lastError: failure,
      httpStatus,
      triedAt: at,
      reportsUnconfirmed,
    }),
  );
  if (!isDelivered && waitMs === undefined)
    deps.log.warn(
      { runId, address: new URL(url).origin, why: failure.slice(0, limits.webhookAnswerBytes) },
      "gave up the webhook of a run",
    );
}
