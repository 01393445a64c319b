import type { ChatRunInput } from "#store/content/conversations.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";
import { advanceAllTools, advanceToolsOf } from "./advance.ts";

/** How often all rounds are scanned, for those made ready by another server or an approval. */
const pollMs = 1_000;
/** The same while nothing happens here, in case another server's notification is lost. */
const idlePollMs = 5_000;

/**
 * Advances tools: immediately those of a message whose run has ended here, and periodically all,
 * one scan at a time. A busy server ends hundreds of runs a second, while hundreds of rounds may be
 * waiting for their person.
 */
export function startToolLoop(deps: EngineDeps): {
  ended(run: OwnedRun): void;
  stop(): Promise<void>;
} {
  const ended = new Set<string>();
  let isDue = false;
  let looking: Promise<void> | undefined;
  let isStopping = false;
  let looked = { at: Number.NEGATIVE_INFINITY, happenings: -1 };

  async function poll(): Promise<void> {
    while (!isStopping && (isDue || ended.size > 0)) {
      const [isOfAll, messageIds] = [isDue, [...ended]];
      isDue = false;
      ended.clear();
      try {
        if (isOfAll) await advanceAllTools(deps);
        else await advanceToolsOf(deps, messageIds);
      } catch (error) {
        looked.happenings = -1;
        deps.log.warn({ error: String(error) }, "could not look for tools");
      }
    }
  }
  const begin = (): void => {
    looking ??= poll().finally(() => {
      looking = undefined;
    });
  };

  const timer = setInterval(() => {
    const at = deps.clock.monotonic();
    const happenings = deps.hub.happenings();
    if (happenings === looked.happenings && at - looked.at < idlePollMs) return;
    looked = { at, happenings };
    isDue = true;
    begin();
  }, pollMs).unref();
  return {
    ended({ task, messageId, input }) {
      // An answer without tools has no round. If its model called one anyway, the full scan finds
      // it.
      const isOffered = task !== "chat" || (input as Partial<ChatRunInput>).tools?.length;
      if (messageId === null || !isOffered) return;
      ended.add(messageId);
      begin();
    },
    async stop() {
      clearInterval(timer);
      isStopping = true;
      await looking;
    },
  };
}
