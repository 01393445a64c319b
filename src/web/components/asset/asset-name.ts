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
/** An asset's name: its title, else the beginning of its prompt, else its kind. */
export function assetName({
  title,
  promptText,
  kind,
}: Pick<Asset, "title" | "promptText" | "kind">): string {
  return title || promptText.slice(0, 120) || t(kindNames[kind]);
}

/** The drag data type that carries asset ids within the app. */
export const assetDragType = "application/x-bottega-assets";
