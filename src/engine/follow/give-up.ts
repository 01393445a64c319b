import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "#providers/adapter.ts";
import type { EngineDeps } from "../deps.ts";

/**
 * A provider answers a poll quickly. After this long without a byte the socket is closed and the
 * poll is repeated.
 */
const silenceMs = 60_000;
const pollMs = 250;

/** Call `heard` for each byte or header received. */
export type Listening = { signal: AbortSignal; heard(): void };

/**
 * A signal for one poll of a job, which ends with `signal` or after a minute of silence.
 * @returns the signal, and `done` to call once the poll is answered
 */
export function listen(
  { clock }: Pick<EngineDeps, "clock">,
  signal: AbortSignal,
): Listening & { done(): void } {
  const silence = new AbortController();
  let heardAt = clock.monotonic();
  const timer = setInterval(() => {
    if (clock.monotonic() - heardAt < silenceMs) return;
    clearInterval(timer);
    silence.abort(
      new ProviderError("provider_timeout", "yes", {
        message: sentences.runs.submitTimeout,
      }),
    );
  }, pollMs);
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    heard: () => {
      heardAt = clock.monotonic();
    },
    done: () => clearInterval(timer),
  };
}
