import { isRecord, type Slot } from "../../data/kept/kept.ts";

/** A file that was uploaded and waits to be sent with the message. */
export type DraftFile = { assetId: string; name: string; mime: string; kind: string };
export type Draft = { text: string; files: readonly DraftFile[] };

export const emptyDraft: Draft = { text: "", files: [] };

const isFile = (value: unknown): value is DraftFile =>
  isRecord(value) &&
  ["assetId", "name", "mime", "kind"].every((key) => typeof value[key] === "string");

/** What was typed and not yet sent, by conversation, by message that is edited, and on Home. */
export const messageDraft: Slot<Draft> = {
  kind: "draft",
  name: "message",
  version: 1,
  empty: emptyDraft,
  parse: (saved) =>
    isRecord(saved)
      ? {
          text: typeof saved.text === "string" ? saved.text : "",
          files: Array.isArray(saved.files) ? saved.files.filter(isFile) : [],
        }
      : null,
};

/** Where a new conversation of a project is typed. */
export const newChatPlace = (projectId: string): string => `new:${projectId}`;
