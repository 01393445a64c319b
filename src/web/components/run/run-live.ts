import type { Run } from "#contract/entities.ts";
import type { WaitsFor } from "../../data/run-stream.ts";
import { useRunStream } from "../../data/run-stream.ts";
import { isEnded } from "./run-facts.ts";

/**
 * An active run's live facts: its state, the share done (0 to 1), and its place in the provider's
 * queue.
 */
export function useRunLive(run: Run): {
  state: Run["state"];
  share: number | null;
  queuePlace: number | null;
  label: string | null;
  waitsFor: WaitsFor | null;
} {
  // A queued run has nothing to stream, and a chat's text is shown in its conversation.
  const isWatched =
    !isEnded(run) && run.state !== "unconfirmed" && run.state !== "queued" && run.task !== "chat";
  const stream = useRunStream(isWatched ? run.id : null);
  const progress = stream.progress ?? run.progress;
  return {
    state: (isWatched && stream.state) || run.state,
    share: progress && progress.total > 0 ? progress.done / progress.total : null,
    queuePlace: stream.queuePlace ?? run.queuePlace,
    label: progress?.label ?? null,
    waitsFor: stream.waitsFor,
  };
}
