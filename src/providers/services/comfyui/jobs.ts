import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type JobHandle, type JobStatus, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { ask } from "./call.ts";
import type { Graph } from "./graph.ts";
import { toHandle } from "./submit.ts";

/** An entry of the queue or the history: [number, id, graph, extra_data, outputs]. */
export type QueueEntry = { number: number; id: string; graph: Graph; clientId: string | null };
/** An ended job from GET /history. */
export type HistoryEntry = {
  entry: QueueEntry | null;
  outputs: Record<string, unknown>;
  status: Record<string, unknown> | null;
};

function toEntry(value: unknown): QueueEntry[] {
  if (!Array.isArray(value) || typeof value[1] !== "string") return [];
  const [number, id, graph, extra] = value;
  const clientId = isRecord(extra) && typeof extra.client_id === "string" ? extra.client_id : null;
  return [{ number: Number(number), id, graph: (isRecord(graph) ? graph : {}) as Graph, clientId }];
}

/** Returns the running jobs, and the waiting ones in order. */
export async function readQueue(
  context: CallContext,
): Promise<{ running: QueueEntry[]; waiting: QueueEntry[] }> {
  const { queue_running: running, queue_pending: waiting } = await ask(context, { path: "queue" });
  if (!Array.isArray(running) || !Array.isArray(waiting)) {
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.workflows.notComfyQueue,
    });
  }
  // The list is a heap; only the numbers give the order.
  return {
    running: running.flatMap(toEntry),
    waiting: waiting.flatMap(toEntry).sort((a, b) => a.number - b.number),
  };
}

/**
 * Returns a job that has ended in any way; null while it hasn't, and when the server has lost it.
 */
export async function readHistoryEntry(
  id: string,
  context: CallContext,
): Promise<HistoryEntry | null> {
  const history = await readHistory(context, `history/${encodeURIComponent(id)}`);
  return history[id] ? toHistoryEntry(history[id]) : null;
}

/** @throws ProviderError for any other response, which says nothing about any job */
async function readHistory(
  context: CallContext,
  path: string,
): Promise<Record<string, Record<string, unknown>>> {
  const history = await ask(context, { path });
  if (Object.values(history).every(isRecord))
    return history as Record<string, Record<string, unknown>>;
  throw new ProviderError("provider_protocol", "yes", {
    message: sentences.workflows.notComfyHistory,
  });
}

function toHistoryEntry({ prompt, outputs, status }: Record<string, unknown>): HistoryEntry {
  const [entry = null] = toEntry(prompt);
  return {
    entry,
    outputs: isRecord(outputs) ? outputs : {},
    status: isRecord(status) ? status : null,
  };
}

/** The state of a job, and its graph while it is queued. */
export type JobState = JobStatus & { graph?: Graph };

/**
 * @throws ProviderError with `forgotten` when the server no longer knows the job; `final` when it
 *   was removed there
 */
export async function readJobState({ id }: JobHandle, context: CallContext): Promise<JobState> {
  const queue = await readQueue(context);
  const running = queue.running.find((entry) => entry.id === id);
  if (running) return { state: "running", graph: running.graph };
  const place = queue.waiting.findIndex((entry) => entry.id === id);
  const waiting = queue.waiting[place];
  if (waiting)
    return { state: "queued", queuePlace: place + queue.running.length, graph: waiting.graph };
  // A job leaves the queue and enters the history in one step, so if it has left the queue, the
  // history has it.
  if (await readHistoryEntry(id, context)) return { state: "done" };
  const newest = await readHistory(context, "history?max_items=1");
  if (newest[id]) return { state: "done" };
  throw goneError(Object.keys(newest).length > 0);
}

/**
 * A server keeps its queue and history only in memory. An empty history means that it was restarted
 * and lost the job, which can be sent again; if there are others, somebody removed this one.
 */
function goneError(hasOthers: boolean): ProviderError {
  if (!hasOthers) {
    const message = sentences.workflows.jobLost;
    return new ProviderError("provider_interrupted", "yes", {
      message,
      forgotten: true,
      final: true,
    });
  }
  return new ProviderError("provider_interrupted", "yes", {
    message: sentences.workflows.jobRemoved,
    final: true,
  });
}

/** The number of newest ended jobs searched for one whose id was lost. */
const recentJobs = 64;

/** Finds the job submitted with this token. An older server assigned its own id. */
export async function findJob(
  { clientToken }: { clientToken: string },
  context: CallContext,
): Promise<JobHandle | undefined> {
  const isOurs = (entry: QueueEntry | null) =>
    entry?.id === clientToken || entry?.clientId === clientToken;
  const { running, waiting } = await readQueue(context);
  const queued = [...running, ...waiting].find(isOurs);
  if (queued) return toHandle(queued.id, clientToken);
  if (await readHistoryEntry(clientToken, context)) return toHandle(clientToken, clientToken);
  const history = await readHistory(context, `history?max_items=${recentJobs}`);
  const ended = Object.values(history).find((job) => isOurs(toHistoryEntry(job).entry));
  const id = ended && toHistoryEntry(ended).entry?.id;
  return id === undefined ? undefined : toHandle(id, clientToken);
}
