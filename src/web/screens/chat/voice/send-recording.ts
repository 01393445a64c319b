import type { ModelRef } from "#contract/entities.ts";
import { uploadFile } from "../../../data/upload.ts";
import {
  type DictationPlace,
  type PendingDictation,
  unsent,
  writePending,
} from "./pending-dictation.ts";
import { transcribe } from "./transcribe.ts";

export type SentRecording = { pending: PendingDictation; error: unknown };

/**
 * Uploads a recording, visible only to its author, and starts its transcription. Continues after
 * unmounting; each step is saved on the device before the next. `error` is the reason that the
 * transcription couldn't start; the recording is saved then.
 * @throws ServerProblem, TypeError if the recording didn't reach the server; it stays in `unsent`
 */
export async function sendRecording(
  place: DictationPlace,
  projectId: string,
  model: ModelRef,
  file: File,
  onProgress: (share: number) => void,
): Promise<SentRecording> {
  unsent.set(place, file);
  const asset = await uploadFile(projectId, file, { onProgress, visibility: "author" });
  const { connectionId, modelId } = model;
  const kept: PendingDictation = {
    projectId,
    assetId: asset.id,
    runId: null,
    model: { connectionId, modelId },
  };
  writePending(place, kept);
  unsent.delete(place);
  return startTranscription(place, kept, model);
}

/** Starts the transcription of a saved recording. */
export async function startTranscription(
  place: DictationPlace,
  before: PendingDictation,
  model: ModelRef,
): Promise<SentRecording> {
  const { connectionId, modelId } = model;
  try {
    const run = await transcribe(before.projectId, before.assetId, model);
    const pending = { ...before, model: { connectionId, modelId }, runId: run.id };
    writePending(place, pending);
    return { pending, error: null };
  } catch (error) {
    return { pending: { ...before, runId: null }, error };
  }
}
