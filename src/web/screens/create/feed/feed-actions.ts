import { useNavigate } from "@tanstack/react-router";
import type { Run } from "#contract/entities.ts";
import type { TileActions } from "../../../components/run/tile/tile-actions.ts";
import { useSession } from "../../../data/shell-data.ts";

/** The feed tiles' actions, provided by the screen around them. */
export type FeedActions = TileActions & {
  selectAsset: (assetId: string, run: Run) => void;
  selectNothing: () => void;
};

/** @param onSelect called after a selection, in addition to the inspector */
export function useFeedActions(
  change: FeedActions["change"],
  onSelect: (run: Run) => void,
): FeedActions {
  const { project } = useSession();
  const navigate = useNavigate();
  const select = (selected: string | undefined, run: string | undefined) =>
    void navigate({ to: ".", search: (before) => ({ ...before, selected, run }), replace: true });
  return {
    change,
    mayEdit: project.role !== "viewer",
    selectRun: (run) => {
      select(undefined, run.id);
      onSelect(run);
    },
    selectAsset: (assetId, run) => {
      select(assetId, undefined);
      onSelect(run);
    },
    selectNothing: () => select(undefined, undefined),
  };
}
