import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../components/asset-name.ts";
import { readDraft, writeDraft } from "../chat/draft-store.ts";

/** Puts an asset into the draft of the next new conversation, beside what was typed there. Chat reads it when it opens. */
export function attachToNewChat(userId: string, asset: Asset): void {
  const name = `chat:${userId}:new:${asset.projectId}`;
  const draft = readDraft(localStorage, name);
  if (draft.files.some(({ assetId }) => assetId === asset.id)) return;
  const file = { assetId: asset.id, name: assetName(asset), mime: asset.mime, kind: asset.kind };
  writeDraft(localStorage, name, { ...draft, files: [...draft.files, file] });
}
