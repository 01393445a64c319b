import type { ModelRef } from "#contract/entities.ts";
import { isRecord, type Slot, savedEntries } from "../../../data/saved/saved-entries.ts";

/**
 * A recording on the server whose transcript isn't in a draft yet; saved on the device, so that a
 * reload finds it.
 */
export type PendingDictation = {
  projectId: string;
  assetId: string;
  runId: string | null;
  model: ModelRef;
};

/** The draft that a recording is for. */
export type DictationPlace = { userId: string; id: string };

const pending: Slot<PendingDictation | null> = {
  kind: "draft",
  name: "dictation",
  version: 1,
  empty: null,
  parse: (saved) =>
    isRecord(saved) &&
    typeof saved.assetId === "string" &&
    typeof saved.projectId === "string" &&
    isRecord(saved.model)
      ? (saved as PendingDictation)
      : null,
};

export const readPending = ({ userId, id }: DictationPlace): PendingDictation | null =>
  savedEntries().read(pending, userId, id);
/** Without storage the run and the recording are still in Activity and in the library. */
export const writePending = (
  { userId, id }: DictationPlace,
  dictation: PendingDictation | null,
): void => void savedEntries().write(pending, userId, dictation, id);

/** Recordings that didn't reach the server, by draft, until the page is closed. */
const files = new Map<string, File>();
const nameOf = ({ userId, id }: DictationPlace) => `${userId}:${id}`;
export const unsent = {
  get: (place: DictationPlace) => files.get(nameOf(place)),
  set: (place: DictationPlace, file: File) => void files.set(nameOf(place), file),
  delete: (place: DictationPlace) => void files.delete(nameOf(place)),
};
