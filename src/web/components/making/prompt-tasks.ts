import type { Task } from "#contract/tasks.ts";

/** Tasks that need only a prompt; the others start with a file, in Create. */
export const promptTasks = ["image", "video", "speech", "music", "3d"] as const satisfies Task[];
