import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Run } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { useApproveRun, useRetryRun } from "../../data/queries/activity.queries.ts";
import { makeAgain } from "../../data/queries/create.queries.ts";
import { useCancelRun } from "../../data/run-change.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { useUnconfirmed } from "./resolve/unconfirmed-facts.ts";
import { isEnded } from "./run-facts.ts";
import { isWaiting, mayApprove } from "./waiting.ts";

type Action = { start: () => void; isPending: boolean };

/**
 * The actions that a person may take on a run now. Chat answers are retried in their conversation
 * and canvases are continued, so neither is made again here.
 */
export function useRunActions(run: Run): {
  canEdit: boolean;
  cancel: Action | null;
  retry: Action | null;
  goOn: Action | null;
  makeAgain: Action | null;
  /** Whether the run's recipe fits Create's form. */
  canChange: boolean;
} {
  const { project, user } = useSession();
  const toast = useToast();
  const navigate = useNavigate();
  const cancelling = useCancelRun();
  const trying = useRetryRun();
  const approving = useApproveRun();
  const queryClient = useQueryClient();
  const making = useMutation({ mutationFn: () => makeAgain(queryClient, run, "again") });
  const onError = useErrorToast();
  const isUnconfirmed = run.state === "unconfirmed";
  const { canCancel } = useUnconfirmed(run);
  const cancel = () =>
    cancelling.mutate(run.id, {
      onError,
      onSuccess: () => isUnconfirmed && toast({ text: t("run.cancel.onceFound") }),
    });
  const onStarted = (fresh: Run | undefined) => {
    const onAction = () =>
      void navigate({ to: "/activity/$runId", params: { runId: fresh?.id ?? "" } });
    toast({ text: t("run.retry.done"), action: fresh && { label: t("run.open"), onAction } });
  };
  const retry = () =>
    trying.mutate(run.id, { onError, onSuccess: (answer) => onStarted(answer.run) });
  const again = () =>
    making.mutate(undefined, { onError, onSuccess: ({ runs }) => onStarted(runs[0]) });
  return {
    canEdit: project.role !== "viewer",
    cancel: (isUnconfirmed ? canCancel && run.cancelRequestedAt === null : !isEnded(run))
      ? { start: cancel, isPending: cancelling.isPending || run.cancelRequestedAt !== null }
      : null,
    goOn:
      isWaiting(run) && mayApprove(run, project, user)
        ? { start: () => approving.mutate(run.id, { onError }), isPending: approving.isPending }
        : null,
    retry:
      (run.state === "failed" || run.state === "cancelled") &&
      run.messageId === null &&
      isMadeByForm(run.task)
        ? { start: retry, isPending: trying.isPending }
        : null,
    makeAgain:
      run.state === "succeeded" && isMadeByForm(run.task)
        ? { start: again, isPending: making.isPending }
        : null,
    canChange: isMadeByForm(run.task),
  };
}
