import type { RunState } from "#contract/entities.ts";

/**
 * The steps of a run. `refused`: provably not accepted. `lost`: the provider may have accepted it,
 * or its outcome is unknown.
 */
export type RunStep =
  | { type: "claimed" }
  | { type: "refused"; again: boolean }
  /** Under an alias: the model gave no output, and the next one is tried. */
  | { type: "passed-on" }
  | { type: "lost" }
  /**
   * The attempt may have been accepted; a new one carries the same token, so the provider treats
   * both as one.
   */
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
  /**
   * A free model (built-in or a local server) was cut off before it produced any saved output, so
   * it may run again.
   */
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
/**
 * States in which a worker owns the run. In all but `storing` the run takes one of its connection's
 * slots.
 */
export const activeStates = [
  "submitting",
  "submitted",
  "running",
  "storing",
] as const satisfies readonly RunState[];
export const isFinal = (state: RunState): boolean =>
  (finalStates as readonly RunState[]).includes(state);

const table: Record<RunState, Partial<Record<RunStepType, RunState>>> = {
  // Found: a refused run that waits for its next attempt has a job after all.
  queued: { claimed: "submitting", found: "submitted", cancelled: "cancelled", failed: "failed" },
  submitting: {
    "stream-began": "running",
    "job-accepted": "submitted",
    "answered-whole": "storing",
    // Found: an earlier, refused attempt has a job after all. The current attempt is given up.
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
 * The only state machine of a run (docs/SPEC.md, "States").
 * @returns the state after the step; undefined if the step isn't possible in this state, and the
 *   caller changes nothing
 */
export function nextState(state: RunState, step: RunStep): RunState | undefined {
  if (step.type === "refused")
    return state === "submitting" ? (step.again ? "queued" : "failed") : undefined;
  return table[state][step.type];
}

/** Lists every transition, for the documentation. */
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
