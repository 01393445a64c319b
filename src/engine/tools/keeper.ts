import type { EngineDeps } from "../deps.ts";
import { advanceAllTools } from "./advance.ts";

/** Looks at least so often, for what another server's end, or a person's word, has made ready. */
const lookMs = 1_000;

/** Goes on with tools whenever a run of a conversation has ended, one look at a time. */
export function startToolKeeper(deps: EngineDeps): { wake(): void; stop(): Promise<void> } {
  let looking: Promise<void> | undefined;
  let again = false;

  function wake(): void {
    if (looking) {
      again = true;
      return;
    }
    looking = advanceAllTools(deps)
      .catch((error) => deps.log.warn({ error: String(error) }, "could not look for tools"))
      .finally(() => {
        looking = undefined;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  const timer = setInterval(wake, lookMs).unref();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      again = false;
      await looking;
    },
  };
}
