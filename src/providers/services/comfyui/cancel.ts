import { type CallContext, type JobHandle, ProviderError } from "../../adapter.ts";
import { ask, tell } from "./call.ts";
import { readQueue } from "./jobs.ts";

/**
 * Cancels only this job. Servers of 2026 cancel a job by its id in one step; on older ones a
 * waiting job is removed from the queue, and a running one is interrupted by its id. True when it
 * neither waits nor runs any more.
 * @throws ProviderError
 */
export async function cancelJob({ id }: JobHandle, context: CallContext): Promise<boolean> {
  const known = await cancelById(id, context);
  if (known !== null) return known;
  const { running, waiting } = await readQueue(context);
  if (waiting.some((entry) => entry.id === id)) {
    await tell(context, "queue", { delete: [id] });
    // The job may have started in between, and then still exists.
    const now = await readQueue(context);
    if (!now.running.some((entry) => entry.id === id))
      return !now.waiting.some((entry) => entry.id === id);
  } else if (!running.some((entry) => entry.id === id)) return false;
  // A server from before 2025-09 ignores the id and interrupts the running job, which was ours a
  // moment ago.
  await tell(context, "interrupt", { prompt_id: id });
  return true;
}

/** Null when the server has no such endpoint. */
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
