import type { ModelRef } from "#contract/entities.ts";

/** A recording that is on the server and not yet words in a draft: kept on the device, so that a closed tab finds it again. */
export type PendingDictation = {
  projectId: string;
  assetId: string;
  runId: string | null;
  model: ModelRef;
};

const keyOf = (place: string) => `bottega:dictation:${place}`;

/** @param place the draft it is for. A broken entry is none. */
export function readPending(place: string): PendingDictation | null {
  try {
    const stored = JSON.parse(
      localStorage.getItem(keyOf(place)) ?? "null",
    ) as Partial<PendingDictation> | null;
    return stored &&
      typeof stored.assetId === "string" &&
      typeof stored.projectId === "string" &&
      stored.model
      ? (stored as PendingDictation)
      : null;
  } catch {
    return null;
  }
}

export function writePending(place: string, pending: PendingDictation | null): void {
  try {
    if (pending === null) localStorage.removeItem(keyOf(place));
    else localStorage.setItem(keyOf(place), JSON.stringify(pending));
  } catch {
    // A full store: the run and the recording are in Activity and in the library all the same.
  }
}

/** Recordings that did not reach the server, by the draft they are for: as long as the page lives. */
export const unsent = new Map<string, File>();
