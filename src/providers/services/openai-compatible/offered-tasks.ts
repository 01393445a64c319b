import type { Task } from "#contract/tasks.ts";

/** The tasks that the API has an endpoint for. */
export const offeredTasks = [
  "chat",
  "image",
  "speech",
  "transcription",
  "embedding",
] as const satisfies Task[];
export type OfferedTask = (typeof offeredTasks)[number];
