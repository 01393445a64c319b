import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";

/**
 * The run that made an asset, if the asset's project contains it. A moved asset's run stays in the
 * previous project and can't be made again here.
 */
export const runInProject = (detail: RouteOutput<"getAsset"> | undefined): Run | null =>
  detail?.run?.projectId === detail?.asset.projectId ? (detail?.run ?? null) : null;
