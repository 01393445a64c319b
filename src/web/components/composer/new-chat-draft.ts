import type { Asset } from "#contract/entities.ts";
import { assetName } from "../asset/asset-name.ts";
import { readDraft, writeDraft } from "./draft-store.ts";

/** The draft of a person's next new conversation in a project. Chat reads it when it opens. */
const nameOf = (userId: string, projectId: string) => `chat:${userId}:new:${projectId}`;

/** Puts an asset beside what was typed there. */
export function attachToNewChat(userId: string, asset: Asset): void {
  const name = nameOf(userId, asset.projectId);
  const draft = readDraft(localStorage, name);
  if (draft.files.some(({ assetId }) => assetId === asset.id)) return;
  const file = { assetId: asset.id, name: assetName(asset), mime: asset.mime, kind: asset.kind };
  writeDraft(localStorage, name, { ...draft, files: [...draft.files, file] });
}

/** Puts a question below what was typed there, once. */
export function askInNewChat(userId: string, projectId: string, text: string): void {
  const name = nameOf(userId, projectId);
  const draft = readDraft(localStorage, name);
  if (draft.text.includes(text)) return;
  writeDraft(localStorage, name, {
    ...draft,
    text: draft.text.trim() === "" ? text : `${draft.text}\n\n${text}`,
  });
}
