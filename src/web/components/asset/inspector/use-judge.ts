import type { Asset } from "#contract/entities.ts";
import { useUpdateAsset } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

export type Judgement = Partial<Pick<Asset, "pick" | "rating">>;

/** Keeps, rejects or rates an asset. Shown immediately and reverted if the server refuses. */
export function useJudge(): (asset: Pick<Asset, "id">, change: Judgement) => void {
  const { project } = useSession();
  const update = useUpdateAsset(project.id);
  const onError = useErrorToast();
  return ({ id }, change) => update.mutate({ assetId: id, ...change }, { onError });
}
