import { useNavigate } from "@tanstack/react-router";
import type { Run } from "#contract/entities.ts";
import { useSession } from "../../../data/shell-data.ts";

/** What the feed's tiles ask of the screen around them. */
export type FeedActions = {
  /** False for viewers, who can only see and download. */
  mayEdit: boolean;
  selectRun: (runId: string) => void;
  selectAsset: (assetId: string) => void;
  selectNothing: () => void;
  /** Loads a run's recipe into the form. */
  change: (run: Run) => void;
};

export function useFeedActions(change: FeedActions["change"]): FeedActions {
  const { project } = useSession();
  const navigate = useNavigate();
  const select = (selected: string | undefined, run: string | undefined) =>
    void navigate({ to: ".", search: (before) => ({ ...before, selected, run }), replace: true });
  return {
    change,
    mayEdit: project.role !== "viewer",
    selectRun: (runId) => select(undefined, runId),
    selectAsset: (assetId) => select(assetId, undefined),
    selectNothing: () => select(undefined, undefined),
  };
}
