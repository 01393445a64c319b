import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type JobHandle, type JobStatus, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { comfyUrl, keyHeader } from "./call.ts";
import { type Frame, isPreview, readFrame } from "./frames.ts";
import { type Graph, titleOf } from "./graph.ts";
import { readStanding } from "./jobs.ts";

/** Silence after which the server is polled, in case the socket died silently. */
const silenceMs = 15_000;
/** Each preview is written into the run's log: of a node with many steps only so many are shown. */
const previewsOfANode = 12;
/** After these the job's entry in the history is about to be there. */
const ends = new Set(["execution_success", "execution_error", "execution_interrupted"]);

/**
 * A job as it changes, from the socket that was named when it was submitted: its place, which node works, steps done,
 * previews. That it has ended is believed of the history alone. Throws ProviderError when the socket breaks.
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
    // Has to be the first frame: previews then name their job.
    socket.send(
      JSON.stringify({ type: "feature_flags", data: { supports_preview_metadata: true } }),
    );
    let { graph = {}, ...status } = await readStanding(handle, context);
    let isEnding = false;
    let told: JobStatus | undefined;
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
          const asked = await readStanding(handle, context);
          graph = asked.graph ?? graph;
          if (asked.state !== status.state || asked.queuePlace !== status.queuePlace)
            next = withoutGraph(asked);
        } else if (isShown(frame)) next = toStatus(frame, handle.id, graph);
        // A server that tells its steps in both ways tells each twice.
        if (next?.progress && isSameStep(next, told)) next = null;
      }
      if (next.progress) told = next;
      status = next;
    }
  } finally {
    socket.close();
  }
}

/** Which frames to show: all but the previews that come too soon after the one before, in steps done. */
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

/** `executing` without a node is the last word of a job. */
const isEnd = ({ type, promptId, ...frame }: Frame, id: string): boolean =>
  promptId === id &&
  (ends.has(type) || (type === "executing" && "data" in frame && frame.data.node === null));

/** Null for what says nothing of this job. A preview of an older server names no job, and comes to its own socket alone. */
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

/** Steps of the node that works, as older servers tell it (`progress`) and as newer ones do of all nodes at once (`progress_state`). */
function stepsIn(frame: Frame, graph: Graph): JobStatus | null {
  if (isPreview(frame)) return null;
  const { type, data } = frame;
  if (type === "progress")
    return toProgress(data, typeof data.node === "string" ? titleOf(graph, data.node) : undefined);
  if (type !== "progress_state" || !isRecord(data.nodes)) return null;
  // A node of one step has none to show, and may run beside one that has.
  const statuses = Object.entries(data.nodes).flatMap(([nodeId, node]) => {
    if (!isRecord(node) || node.state !== "running") return [];
    const shown = [node.display_node_id, node.real_node_id, nodeId].find(
      (id): id is string => typeof id === "string" && Object.hasOwn(graph, id),
    );
    return toProgress(node, titleOf(graph, shown ?? nodeId)) ?? [];
  });
  return statuses.at(-1) ?? null;
}

/** Steps of the node that works; a node of one step has none to show. */
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
