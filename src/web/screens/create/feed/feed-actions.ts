import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Run } from "#contract/entities.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { useSession } from "../../../data/shell-data.ts";
import { describeError } from "../../../ui/describe-error.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";

/** What can be done with what is in the feed. */
export type FeedActions = {
  /** Viewers see and download; they make nothing. */
  mayEdit: boolean;
  selectRun: (runId: string) => void;
  selectAsset: (assetId: string) => void;
  selectNothing: () => void;
  cancel: (runs: readonly Run[]) => void;
  /** After a failure: a new run that points at the old one. */
  tryAgain: (run: Run) => void;
  /** The recipe into the form. */
  change: (run: Run) => void;
};

export function useFeedActions(given: { change: (run: Run) => void }): FeedActions {
  const { project } = useSession();
  const queryClient = useQueryClient();
  const toast = useToast();
  const navigate = useNavigate();
  const select = (selected: string | undefined, run: string | undefined) =>
    void navigate({ to: ".", search: (before) => ({ ...before, selected, run }), replace: true });
  const said = (work: Promise<unknown>) =>
    void work.then(
      () => void queryClient.invalidateQueries({ queryKey: keys.batches(project.id) }),
      (error: unknown) => {
        const { title, advice } = describeError(error);
        toast({ kind: "error", text: title, detail: advice });
      },
    );
  return {
    ...given,
    mayEdit: project.role !== "viewer",
    selectRun: (runId) => select(undefined, runId),
    selectAsset: (assetId) => select(assetId, undefined),
    selectNothing: () => select(undefined, undefined),
    cancel: (runs) =>
      said(
        Promise.all(
          runs
            .filter((run) => !isFinal(run.state))
            .map((run) => call("cancelRun", { params: { runId: run.id } })),
        ),
      ),
    tryAgain: (run) =>
      said(call("tryAgain", { params: { runId: run.id }, body: { seed: "same" } })),
  };
}
