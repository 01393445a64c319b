import { parentPort } from "node:worker_threads";
import { Problem } from "#contract/errors.ts";
import type { PictureResult, PictureTask } from "./picture.ts";
import type { WorkerReply } from "./worker-pool.ts";

/** The work on files that would hold up the server's own thread. Loaded only as a worker. */
export type SoundTask = { kind: "sound"; path: string; peaks: number };
export type MediaTask = PictureTask | SoundTask;
/** A sound that we can't read ourselves is null. */
export type MediaResult = PictureResult | { durationMs: number; peaks: number[] } | null;

parentPort?.on("message", async (task: MediaTask) => {
  parentPort?.postMessage(await answer(task));
});

async function answer(task: MediaTask): Promise<WorkerReply<MediaResult>> {
  try {
    return { result: await work(task) };
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, detail: error.detail } };
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** sharp takes 20 MB and is loaded by the first picture only. */
async function work(task: MediaTask): Promise<MediaResult> {
  if (task.kind === "picture") return (await import("./picture.ts")).readPicture(task);
  return (await (await import("./wav.ts")).readWav(task.path, task.peaks)) ?? null;
}
