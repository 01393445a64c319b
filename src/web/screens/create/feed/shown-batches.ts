import type { Task } from "#contract/tasks.ts";
import type { FeedBatch } from "../../../data/queries/create.queries.ts";

export type Shown = "all" | "image" | "video" | "audio";
const shownTasks: Record<Exclude<Shown, "all">, readonly Task[]> = {
  image: ["image", "edit", "upscale", "background-removal"],
  video: ["video"],
  audio: ["speech", "music"],
};

/** Whether a task's results match the feed's filter. */
export const makesShown = (task: Task, shown: Exclude<Shown, "all">): boolean =>
  shownTasks[shown].includes(task);

/** Whether a batch matches the feed's filter: by its files, or by its task before it has any. */
export function isShown(batch: FeedBatch, shown: Shown): boolean {
  if (shown === "all") return true;
  if (batch.assets.length > 0) return batch.assets.some((asset) => asset.kind === shown);
  return batch.runs.some((run) => makesShown(run.task, shown));
}
