import type { Asset } from "#contract/entities.ts";
import { type MessageId, t } from "../../messages/t.ts";

export const kindNames: Record<Asset["kind"], MessageId> = {
  image: "asset.kind.image",
  video: "asset.kind.video",
  audio: "asset.kind.audio",
  "3d": "asset.kind.3d",
  text: "asset.kind.text",
  file: "asset.kind.file",
};
/** What an asset is called: its title, else the beginning of its prompt, else its kind. */
export function assetName({
  title,
  promptText,
  kind,
}: Pick<Asset, "title" | "promptText" | "kind">): string {
  return title || promptText.slice(0, 120) || t(kindNames[kind]);
}

/** The kinds under which ids of assets travel when tiles are dragged within the program. */
export const assetDragType = "application/x-bottega-assets";
