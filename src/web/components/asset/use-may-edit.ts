import type { Asset } from "#contract/entities.ts";
import { useSession } from "../../data/shell-data.ts";

/**
 * Whether the person may change an asset, by their role in the asset's project, which may differ
 * from the current one.
 */
export function useMayEdit(asset: Pick<Asset, "projectId"> | undefined): boolean {
  const { projects } = useSession();
  const role = projects.find(({ id }) => id === asset?.projectId)?.role;
  return role !== undefined && role !== "viewer";
}
