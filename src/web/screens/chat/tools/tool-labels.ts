import type { Run, ToolResultPart } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { t } from "../../../messages/t.ts";

/** The tasks with specific labels. */
const labels = {
  image: "image",
  edit: "edit",
  upscale: "upscale",
  "background-removal": "cutOut",
  video: "video",
  speech: "speech",
  music: "music",
  transcription: "transcription",
  "3d": "model",
} as const satisfies Partial<Record<Task, string>>;
type Label = (typeof labels)[keyof typeof labels] | "library" | "file" | "other";

const labelOf = ({ name, runId }: ToolResultPart, run: Run | undefined): Label => {
  if (runId === null && name === "search_library") return "library";
  if (runId === null && name === "read_file") return "file";
  return (run && run.task in labels && labels[run.task as keyof typeof labels]) || "other";
};

/** "Drew 2 pictures" */
export const doneLabel = (result: ToolResultPart, run: Run | undefined, name: string): string =>
  t(`chat.did.${labelOf(result, run)}`, { name, count: Math.max(1, result.assetIds.length) });

/** "Drawing a picture" */
export const runningLabel = (result: ToolResultPart, run: Run | undefined, name: string): string =>
  t(`chat.does.${labelOf(result, run)}`, { name });

/** "Draw a picture with Pattern", for a call that wasn't made. */
export const requestLabel = (result: ToolResultPart, run: Run | undefined, name: string): string =>
  t(`chat.asked.${labelOf(result, run)}`, { name });
