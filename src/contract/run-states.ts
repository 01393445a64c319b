import type { RunState } from "./entities.ts";

/** What every screen and document calls the states of a run. `{provider}` stands for the connection's name. */
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

/** A state as a person reads it. */
export const runStateText = (state: RunState, provider = "the provider"): string =>
  runStateWords[state].replace("{provider}", provider);
