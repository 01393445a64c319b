import type { Asset } from "#contract/entities.ts";
import { savedEntries } from "../../data/saved/saved-entries.ts";
import { assetName } from "../asset/asset-name.ts";
import { type Draft, messageDraft, newChatDraftId } from "./message-draft.ts";

/**
 * Changes the draft of a person's next new conversation in a project. Chat reads it when it opens.
 */
function change(userId: string, projectId: string, next: (draft: Draft) => Draft): void {
  const place = newChatDraftId(projectId);
  savedEntries().write(
    messageDraft,
    userId,
    next(savedEntries().read(messageDraft, userId, place)),
    place,
  );
}

/** Attaches an asset to the draft of the next new conversation. */
export function attachToNewChat(userId: string, asset: Asset): void {
  const file = { assetId: asset.id, name: assetName(asset), mime: asset.mime, kind: asset.kind };
  change(userId, asset.projectId, (draft) =>
    draft.files.some(({ assetId }) => assetId === asset.id)
      ? draft
      : { ...draft, files: [...draft.files, file] },
  );
}

/** Appends a question to the draft of the next new conversation, once. */
export function askInNewChat(userId: string, projectId: string, text: string): void {
  change(userId, projectId, (draft) => {
    if (draft.text.includes(text)) return draft;
    return { ...draft, text: draft.text.trim() === "" ? text : `${draft.text}\n\n${text}` };
  });
}
