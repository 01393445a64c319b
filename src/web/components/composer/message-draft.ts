import { isRecord, type Slot } from "../../data/saved/saved-entries.ts";

/** An uploaded file that will be sent with the message. */
export type DraftFile = { assetId: string; name: string; mime: string; kind: string };
export type Draft = { text: string; files: readonly DraftFile[] };

export const emptyDraft: Draft = { text: "", files: [] };

const isFile = (value: unknown): value is DraftFile =>
  isRecord(value) &&
  ["assetId", "name", "mime", "kind"].every((key) => typeof value[key] === "string");

/** An unsent message, by conversation, by edited message, and on Home. */
export const messageDraft: Slot<Draft> = {
  kind: "draft",
  name: "message",
  version: 1,
  empty: emptyDraft,
  isPartOf: (draft, sent) =>
    sent.text.includes(draft.text) &&
    draft.files.every(({ assetId }) => sent.files.some((file) => file.assetId === assetId)),
  parse: (saved) =>
    isRecord(saved)
      ? {
          text: typeof saved.text === "string" ? saved.text : "",
          files: Array.isArray(saved.files) ? saved.files.filter(isFile) : [],
        }
      : null,
};

/** The draft id of a project's new conversation. */
export const newChatDraftId = (projectId: string): string => `new:${projectId}`;
