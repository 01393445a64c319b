import { type CallContext, type JobHandle, ProviderError } from "../../adapter.ts";
import { ask, tell } from "./call.ts";
import { readQueue } from "./jobs.ts";

/**
 * Stops this job and no other. Servers of 2026 cancel a job by its id in one step; on older ones a waiting job is taken out of
 * the queue, and a running one interrupted by its id. True when it waits and runs no more. Throws ProviderError.
 */
export async function cancelJob({ id }: JobHandle, context: CallContext): Promise<boolean> {
  const known = await cancelById(id, context);
  if (known !== null) return known;
  const { running, waiting } = await readQueue(context);
  if (waiting.some((entry) => entry.id === id)) {
    await tell(context, "queue", { delete: [id] });
    // It may have started in between, and is then still there.
    const now = await readQueue(context);
    if (!now.running.some((entry) => entry.id === id))
      return !now.waiting.some((entry) => entry.id === id);
  } else if (!running.some((entry) => entry.id === id)) return false;
  // A server from before 2025-09 heeds no id and interrupts what runs: that is ours, as it was a moment ago.
  await tell(context, "interrupt", { prompt_id: id });
  return true;
}

/** Null where the server has no such address. */
async function cancelById(id: string, context: CallContext): Promise<boolean | null> {
  try {
    const { cancelled } = await ask(context, {
      path: `api/jobs/${encodeURIComponent(id)}/cancel`,
      method: "POST",
      json: {},
    });
    return cancelled === true;
  } catch (error) {
    if (error instanceof ProviderError && [404, 405].includes(error.detail.httpStatus ?? 0))
      return null;
    throw error;
  }
}
