import type { Asset } from "#contract/entities.ts";

/** Whether a similarity search can use the asset: it has a picture or a poster. */
export const canFindSimilar = ({ kind, thumbhash }: Pick<Asset, "kind" | "thumbhash">): boolean =>
  (kind === "image" || kind === "video") && thumbhash !== null;
