import type { ModelRef } from "#contract/entities.ts";
import { uploadFile } from "../../../data/upload.ts";
import {
  type DictationPlace,
  type PendingDictation,
  unsent,
  writePending,
} from "./pending-dictation.ts";
import { writeDown } from "./write-down.ts";

export type Sent = { pending: PendingDictation; error: unknown };

/**
 * Puts a recording in the library, for its person alone, and asks a model for its words. Goes on whoever is still looking; each step is
 * kept on the device before the next. A model that could not be asked is told in `error`: the recording is safe then.
 * @throws ServerProblem, TypeError when the recording did not reach the server; it stays in `unsent`
 */
export async function sendRecording(
  place: DictationPlace,
  projectId: string,
  model: ModelRef,
  file: File,
  onProgress: (share: number) => void,
): Promise<Sent> {
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
  return askAgain(place, kept, model);
}

/** Asks for the words of a recording that is kept already. */
export async function askAgain(
  place: DictationPlace,
  before: PendingDictation,
  model: ModelRef,
): Promise<Sent> {
  const { connectionId, modelId } = model;
  try {
    const run = await writeDown(before.projectId, before.assetId, model);
    const pending = { ...before, model: { connectionId, modelId }, runId: run.id };
    writePending(place, pending);
    return { pending, error: null };
  } catch (error) {
    return { pending: { ...before, runId: null }, error };
  }
}
