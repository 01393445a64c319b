import type { RunState } from "./entities.ts";

/**
 * The names of a run's states on every screen and in every document. `{provider}` is the
 * connection's name.
 */
export const runStateWords = {
  queued: "Queued",
  submitting: "Sending",
  submitted: "Waiting at {provider}",
  running: "Running",
  storing: "Saving results",
  unconfirmed: "Unconfirmed",
  succeeded: "Done",
  failed: "Failed",
  cancelled: "Canceled",
} as const satisfies Record<RunState, string>;

export const runStateText = (state: RunState, provider = "the provider"): string =>
  runStateWords[state].replace("{provider}", provider);
