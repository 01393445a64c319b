import type { Asset } from "#contract/entities.ts";
import { useSession } from "../../data/shell-data.ts";

/** Whether one may change an asset: by the role in its own project, which may be another than the one that one works in. */
export function useMayEdit(asset: Pick<Asset, "projectId"> | undefined): boolean {
  const { projects } = useSession();
  const role = projects.find(({ id }) => id === asset?.projectId)?.role;
  return role !== undefined && role !== "viewer";
}
