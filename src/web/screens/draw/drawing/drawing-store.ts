import { type Slot, savedEntries } from "../../../data/saved/saved-entries.ts";
import { readFile, removeFile, writeFile } from "../../../data/saved/saved-files.ts";

/** Drawings are saved on the device, one per project, so that a reload loses nothing. */
export type DrawingPlace = { userId: string; projectId: string };

const nameOf = ({ projectId }: DrawingPlace): string => `drawing:${projectId}`;

/** Saved while the page closes, and newer than the database's copy. */
const last: Slot<string> = {
  kind: "draft",
  name: "drawing",
  version: 1,
  empty: "",
  parse: (saved) => (typeof saved === "string" ? saved : null),
  maxCharacters: 2 * 1024 * 1024,
};

export async function readDrawing(place: DrawingPlace): Promise<Blob | undefined> {
  const dataUrl = savedEntries().read(last, place.userId, place.projectId);
  if (!dataUrl) return readFile(place.userId, nameOf(place));
  forgetLast(place);
  // Decoded manually, because the content security policy blocks fetching data URLs.
  const bytes = atob(dataUrl.split(",")[1] ?? "");
  return new Blob([Uint8Array.from(bytes, (character) => character.charCodeAt(0))], {
    type: "image/jpeg",
  });
}

/** Synchronous, because a database write is aborted when the page closes. */
export const writeLast = ({ userId, projectId }: DrawingPlace, dataUrl: string): void =>
  void savedEntries().write(last, userId, dataUrl, projectId);

/** Removes the copy of a closing page, once the database is as new. */
export const forgetLast = ({ userId, projectId }: DrawingPlace): void =>
  void savedEntries().write(last, userId, last.empty, projectId);

/** @returns whether the device saved it */
export const writeDrawing = (place: DrawingPlace, drawing: Blob): Promise<boolean> =>
  writeFile(place.userId, nameOf(place), drawing);

export const removeDrawing = (place: DrawingPlace): Promise<unknown> =>
  removeFile(place.userId, nameOf(place));
