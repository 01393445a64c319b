import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type JobHandle, type JobStatus, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { comfyUrl, keyHeader } from "./call.ts";
import { type Frame, isPreview, readFrame } from "./frames.ts";
import { type Graph, titleOf } from "./graph.ts";
import { readJobState } from "./jobs.ts";

/** After this much silence the server is polled, in case the socket died silently. */
const silenceMs = 15_000;
/** The most previews shown per node, because each one is written to the run's log. */
const previewsOfANode = 12;
/** After one of these, the job's history entry is about to appear. */
const ends = new Set(["execution_success", "execution_error", "execution_interrupted"]);

/**
 * Yields a job's changes, from the socket named at its submission: queue place, active node, steps,
 * previews. Only the history confirms that the job has ended.
 * @throws ProviderError when the socket breaks
 */
export async function* followJob(
  handle: JobHandle,
  context: CallContext,
): AsyncIterable<JobStatus> {
  const { openSocket } = context;
  if (!openSocket)
    throw new ProviderError("provider_interrupted", "yes", {
      message: sentences.runs.noSocket,
    });
  const address = comfyUrl(context, handle.urls.socket ?? `ws?clientId=${handle.id}`).replace(
    /^http/,
    "ws",
  );
  const socket = await openSocket(address, { headers: keyHeader(context), signal: context.signal });
  try {
    // Must be the first frame, so that previews name their job.
    socket.send(
      JSON.stringify({ type: "feature_flags", data: { supports_preview_metadata: true } }),
    );
    let { graph = {}, ...status } = await readJobState(handle, context);
    let isEnding = false;
    let reported: JobStatus | undefined;
    const isShown = createSieve();
    for (;;) {
      yield status;
      if (status.state === "done") return;
      let next: JobStatus | null = null;
      while (!next) {
        const raw = await socket.next(silenceMs);
        const frame =
          raw === null ? null : (readFrame(raw) ?? { type: "unknown", data: {}, promptId: null });
        isEnding ||= frame !== null && isEnd(frame, handle.id);
        const mustAsk =
          frame === null || isEnding || (frame.type === "status" && status.state === "queued");
        if (mustAsk) {
          const asked = await readJobState(handle, context);
          graph = asked.graph ?? graph;
          if (asked.state !== status.state || asked.queuePlace !== status.queuePlace)
            next = withoutGraph(asked);
        } else if (isShown(frame)) next = toStatus(frame, handle.id, graph);
        // A server that reports steps in both forms reports each step twice.
        if (next?.progress && isSameStep(next, reported)) next = null;
      }
      if (next.progress) reported = next;
      status = next;
    }
  } finally {
    socket.close();
  }
}

/**
 * Selects the frames to show: all except previews that follow the previous one too closely, in
 * steps.
 */
function createSieve(): (frame: Frame) => boolean {
  let step = { done: 0, total: 0 };
  let shownAt = Number.NEGATIVE_INFINITY;
  return (frame) => {
    if (isPreview(frame)) {
      const isSoon = step.done - shownAt < step.total / previewsOfANode;
      if (!isSoon) shownAt = step.done;
      return !isSoon;
    }
    const progress = stepsIn(frame, {})?.progress;
    if (progress && progress.done < step.done) shownAt = Number.NEGATIVE_INFINITY;
    if (progress) step = progress;
    return true;
  };
}

const isSameStep = (one: JobStatus, other: JobStatus | undefined): boolean =>
  one.progress?.done === other?.progress?.done &&
  one.progress?.total === other?.progress?.total &&
  one.progress?.label === other?.progress?.label;

const withoutGraph = ({ graph: _, ...status }: JobStatus & { graph?: Graph }): JobStatus => status;

/** `executing` without a node is a job's last message. */
const isEnd = ({ type, promptId, ...frame }: Frame, id: string): boolean =>
  promptId === id &&
  (ends.has(type) || (type === "executing" && "data" in frame && frame.data.node === null));

/**
 * Null for frames about anything but this job. An older server's preview names no job, and arrives
 * only on its own socket.
 */
function toStatus(frame: Frame, id: string, graph: Graph): JobStatus | null {
  if (isPreview(frame)) {
    const isOurs = frame.promptId === null || frame.promptId === id;
    return isOurs ? { state: "running", preview: { mime: frame.mime, bytes: frame.bytes } } : null;
  }
  const { type, data, promptId } = frame;
  if (promptId !== id) return null;
  const log = (message: string): JobStatus => ({ state: "running", logs: [{ message }] });
  if (type === "execution_start") return { state: "running" };
  if (type === "execution_cached") {
    const count = Array.isArray(data.nodes) ? data.nodes.length : 0;
    return count > 0
      ? log(sentences.workflows.nodesCached({ cached: count, count: Object.keys(graph).length }))
      : null;
  }
  if (type === "executing" && typeof data.node === "string") return log(titleOf(graph, data.node));
  return stepsIn(frame, graph);
}

/**
 * Reads the steps of the active node, from older servers' `progress`, or from newer ones'
 * `progress_state` for all nodes at once.
 */
function stepsIn(frame: Frame, graph: Graph): JobStatus | null {
  if (isPreview(frame)) return null;
  const { type, data } = frame;
  if (type === "progress")
    return toProgress(data, typeof data.node === "string" ? titleOf(graph, data.node) : undefined);
  if (type !== "progress_state" || !isRecord(data.nodes)) return null;
  // A node with a single step has no progress to show, and may run at the same time as one that
  // has.
  const statuses = Object.entries(data.nodes).flatMap(([nodeId, node]) => {
    if (!isRecord(node) || node.state !== "running") return [];
    const shown = [node.display_node_id, node.real_node_id, nodeId].find(
      (id): id is string => typeof id === "string" && Object.hasOwn(graph, id),
    );
    return toProgress(node, titleOf(graph, shown ?? nodeId)) ?? [];
  });
  return statuses.at(-1) ?? null;
}

/** Steps of the active node; a node with a single step has none to show. */
function toProgress(
  { value: done, max: total }: Record<string, unknown>,
  label: string | undefined,
): JobStatus | null {
  if (typeof done !== "number" || typeof total !== "number" || total <= 1 || done < 0) return null;
  return {
    state: "running",
    progress: { done: Math.min(done, total), total, ...(label && { label }) },
  };
}
