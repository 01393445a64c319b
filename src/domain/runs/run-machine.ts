import type { RunState } from "#contract/entities.ts";

/** What can happen to a run. `refused`: provably not accepted. `lost`: we can't know whether the provider took it, or what became of it. */
export type RunStep =
  | { type: "claimed" }
  | { type: "refused"; again: boolean }
  /** Behind an alias: no word came of it, and the next model is asked. */
  | { type: "passed-on" }
  | { type: "lost" }
  /** Perhaps it was taken, and a new attempt carries the same token: for the provider both are one. */
  | { type: "repeated" }
  | { type: "stream-began" }
  | { type: "job-accepted" }
  | { type: "answered-whole" }
  | { type: "provider-runs" }
  | { type: "provider-done" }
  | { type: "stored" }
  | { type: "outputs-lost" }
  | { type: "found" }
  | { type: "said-not-made" }
  | { type: "failed" }
  /** A free model (of ours or a local server) was cut off before it gave anything that is kept: it may be asked again. */
  | { type: "restarted" }
  | { type: "cancelled" };
export type RunStepType = RunStep["type"];

export const finalStates = [
  "succeeded",
  "failed",
  "cancelled",
] as const satisfies readonly RunState[];
export const openStates = [
  "queued",
  "submitting",
  "submitted",
  "running",
  "storing",
  "unconfirmed",
] as const satisfies readonly RunState[];
/** States in which a worker owns the run; in all but `storing` one of the connection's places is taken. */
export const activeStates = [
  "submitting",
  "submitted",
  "running",
  "storing",
] as const satisfies readonly RunState[];
export const isFinal = (state: RunState): boolean =>
  (finalStates as readonly RunState[]).includes(state);

const table: Record<RunState, Partial<Record<RunStepType, RunState>>> = {
  // Found: what was refused, and waits to be sent again, has a job all the same.
  queued: { claimed: "submitting", found: "submitted", cancelled: "cancelled", failed: "failed" },
  submitting: {
    "stream-began": "running",
    "job-accepted": "submitted",
    "answered-whole": "storing",
    // Found: an earlier attempt, which was refused, has a job all the same. The one that is under way is given up.
    found: "submitted",
    lost: "unconfirmed",
    repeated: "submitting",
    "passed-on": "queued",
    restarted: "queued",
    failed: "failed",
    cancelled: "cancelled",
  },
  submitted: {
    "provider-runs": "running",
    "provider-done": "storing",
    found: "submitted",
    lost: "unconfirmed",
    restarted: "queued",
    failed: "failed",
    cancelled: "cancelled",
  },
  running: {
    "provider-runs": "running",
    "provider-done": "storing",
    found: "submitted",
    lost: "unconfirmed",
    restarted: "queued",
    failed: "failed",
    cancelled: "cancelled",
  },
  storing: { stored: "succeeded", "outputs-lost": "failed", restarted: "queued", failed: "failed" },
  unconfirmed: { found: "submitted", "answered-whole": "storing", "said-not-made": "failed" },
  succeeded: {},
  failed: {},
  cancelled: {},
};

/**
 * The one machine of a run (docs/SPEC.md, "States"). Nothing else decides a state.
 * @returns the state after the step, or undefined when the step can't happen in this state: the caller changes nothing.
 */
export function nextState(state: RunState, step: RunStep): RunState | undefined {
  if (step.type === "refused")
    return state === "submitting" ? (step.again ? "queued" : "failed") : undefined;
  return table[state][step.type];
}

/** Every transition there is, for the documents. */
export function transitions(): { from: RunState; step: RunStepType; to: RunState }[] {
  const rows = Object.entries(table).flatMap(([from, steps]) =>
    Object.entries(steps).map(([step, to]) => ({
      from: from as RunState,
      step: step as RunStepType,
      to,
    })),
  );
  return [
    ...rows,
    { from: "submitting", step: "refused", to: "queued" },
    { from: "submitting", step: "refused", to: "failed" },
  ];
}
