import { parentPort } from "node:worker_threads";
import type { Provenance } from "#contract/entities.ts";
import { answerTasks } from "../../threads/answer-tasks.ts";
import type { PictureResult, PictureTask } from "./picture.ts";
import type { HashTask } from "./picture-hash.ts";

/** File work that would block the server's thread. Loaded only as a worker. */
export type SoundTask = { kind: "sound"; path: string; peaks: number };
export type ProvenanceTask = { kind: "provenance"; path: string };
export type MediaTask = PictureTask | SoundTask | HashTask | ProvenanceTask;
/** Null for audio that can't be read without ffmpeg. */
export type MediaResult =
  | PictureResult
  | { durationMs: number; peaks: number[] }
  | Provenance
  | string
  | null;

answerTasks(parentPort, work);

/** sharp takes 20 MB, so it is loaded with the first picture. */
async function work(task: MediaTask): Promise<MediaResult> {
  if (task.kind === "picture") return (await import("./picture.ts")).readPicture(task);
  if (task.kind === "hash") return (await import("./picture-hash.ts")).hashThumbnail(task);
  if (task.kind === "provenance")
    return (await import("./provenance.ts")).findProvenance(task.path);
  return (await (await import("./wav.ts")).readWav(task.path, task.peaks)) ?? null;
}
