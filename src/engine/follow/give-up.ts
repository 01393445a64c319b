import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "#providers/adapter.ts";
import type { EngineDeps } from "../deps.ts";

/** A question about a job is answered at once; after so long without a byte its socket is closed, and it is asked again. */
const silenceMs = 60_000;
const lookMs = 250;

/** `heard` is called with each sign of life. */
export type Listening = { signal: AbortSignal; heard(): void };

/**
 * A signal for one question about a job: it ends with `signal`, and after a minute in which nothing was heard.
 * @returns the signal, and `done` to be called when the question has its answer
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
  }, lookMs);
  return {
    signal: AbortSignal.any([signal, silence.signal]),
    heard: () => {
      heardAt = clock.monotonic();
    },
    done: () => clearInterval(timer),
  };
}
