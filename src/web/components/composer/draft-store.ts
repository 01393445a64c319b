/** A file that was uploaded and waits to be sent with the message. */
export type DraftFile = { assetId: string; name: string; mime: string; kind: string };
export type Draft = { text: string; files: readonly DraftFile[] };

export const emptyDraft: Draft = { text: "", files: [] };

/** The device's store of texts, as localStorage is one. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (name: string) => `bottega:draft:${name}`;

const isFile = (value: unknown): value is DraftFile =>
  typeof value === "object" &&
  value !== null &&
  ["assetId", "name", "mime", "kind"].every(
    (key) => typeof (value as Record<string, unknown>)[key] === "string",
  );

/** What was typed and not yet sent. A broken or foreign entry is an empty draft. */
export function readDraft(storage: DraftStorage, name: string): Draft {
  try {
    const stored: unknown = JSON.parse(storage.getItem(keyOf(name)) ?? "null");
    if (typeof stored !== "object" || stored === null) return emptyDraft;
    const { text, files } = stored as Record<string, unknown>;
    return {
      text: typeof text === "string" ? text : "",
      files: Array.isArray(files) ? files.filter(isFile) : [],
    };
  } catch {
    return emptyDraft;
  }
}

/** Keeps it. A full store keeps nothing: the page still holds the text. */
export function writeDraft(storage: DraftStorage, name: string, draft: Draft): void {
  try {
    if (draft.text === "" && draft.files.length === 0) storage.removeItem(keyOf(name));
    else storage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // QuotaExceededError, or a browser that keeps nothing.
  }
}
