import type { Run, ToolResultPart } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { t } from "../../../messages/t.ts";

/** What a tool does, as far as it is worth a word of its own. */
const deeds = {
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
type Deed = (typeof deeds)[keyof typeof deeds] | "library" | "file" | "other";

const deedOf = ({ name, runId }: ToolResultPart, run: Run | undefined): Deed => {
  if (runId === null && name === "search_library") return "library";
  if (runId === null && name === "read_file") return "file";
  return (run && run.task in deeds && deeds[run.task as keyof typeof deeds]) || "other";
};

/** "Drew 2 pictures": what was done. */
export const doneWords = (result: ToolResultPart, run: Run | undefined, name: string): string =>
  t(`chat.did.${deedOf(result, run)}`, { name, count: Math.max(1, result.assetIds.length) });

/** "Drawing a picture": what is being done. */
export const doingWords = (result: ToolResultPart, run: Run | undefined, name: string): string =>
  t(`chat.does.${deedOf(result, run)}`, { name });

/** "Draw a picture with Pattern": what was asked for, and not done. */
export const askedWords = (result: ToolResultPart, run: Run | undefined, name: string): string =>
  t(`chat.asked.${deedOf(result, run)}`, { name });
