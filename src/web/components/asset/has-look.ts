import type { Asset } from "#contract/entities.ts";

/** Whether others can look like it: it has a picture, or a poster. */
export const hasLook = ({ kind, thumbhash }: Pick<Asset, "kind" | "thumbhash">): boolean =>
  (kind === "image" || kind === "video") && thumbhash !== null;
