import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";

/** The run that made an asset, where it can be made again in the asset's project: one that moved has left its run in another. */
export const recipeHere = (detail: RouteOutput<"getAsset"> | undefined): Run | null =>
  detail?.run?.projectId === detail?.asset.projectId ? (detail?.run ?? null) : null;
