import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileDown } from "lucide-react";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call, routePath } from "../../data/client.ts";
import { keys, refreshAfter } from "../../data/keys.ts";
import { formatBytes, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { countLines } from "./count-lines.ts";
import { DeletionDialog } from "./deletion-dialog.tsx";
import { LoadingDialog } from "./loading-dialog.tsx";

type Facts = RouteOutput<"getProjectDeletion">;
const days = limits.trashMs / (24 * 60 * 60_000);

type DeleteProjectProps = {
  projectId: string;
  /** For an admin, who can't see into the project or export it. */
  asAdmin?: boolean;
  onClose: () => void;
  onDeleted?: () => void;
};

export function DeleteProject({ projectId, asAdmin, onClose, onDeleted }: DeleteProjectProps) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const params = { projectId };
  const facts = useQuery({
    queryKey: keys.project(projectId, "deletion"),
    queryFn: ({ signal }) =>
      call(asAdmin ? "getAdminProjectDeletion" : "getProjectDeletion", { params, signal }),
    // Open work changes while the dialog is read.
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: (body: { name: string; settles: boolean }) =>
      call(asAdmin ? "deleteAdminProject" : "deleteProject", { params, body }),
    onSuccess: async () => {
      onClose();
      onDeleted?.();
      toast({
        text: t("deletion.project.done", { name: facts.data?.name ?? "" }),
        detail: t("deletion.project.done.detail", { days }),
      });
      await refreshAfter(queryClient, "deletion");
    },
    // Another run may have started.
    onError: () => void facts.refetch(),
  });
  if (!facts.data)
    return (
      <LoadingDialog
        title={t("deletion.project.section")}
        error={facts.error}
        onRetry={() => void facts.refetch()}
        onClose={onClose}
      />
    );
  const { name, stays, open } = facts.data;
  return (
    <DeletionDialog
      title={t("deletion.title", { name })}
      when={t("deletion.project.when", { days })}
      goes={goesWith(facts.data)}
      stays={
        stays.runs > 0
          ? [
              t("deletion.books", {
                count: stays.runs,
                money: formatSpent(stays.spentMicros, stays.unpricedRuns),
                name: t("deletion.project.inBooks", { name }),
              }),
            ]
          : []
      }
      open={open}
      confirm={{ field: "name", label: t("deletion.project.confirm"), expected: name }}
      submit={t("deletion.project.submit")}
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={({ typed, settles }) => remove.mutate({ name: typed, settles })}
      onClose={onClose}
    >
      {!asAdmin && (
        <a className={buttonClass()} href={routePath("exportProject", { params })} download>
          <FileDown aria-hidden size={16} />
          {t("deletion.project.export")}
        </a>
      )}
    </DeletionDialog>
  );
}

function goesWith({ goes }: Facts): string[] {
  return [
    ...(goes.conversations > 0
      ? [t("deletion.conversations", { count: goes.conversations, messages: goes.messages })]
      : []),
    ...(goes.files > 0
      ? [t("deletion.files", { count: goes.files, bytes: formatBytes(goes.bytes) })]
      : []),
    ...countLines([
      ["deletion.collections", goes.collections],
      ["deletion.comparisons", goes.comparisons],
      ["deletion.wordLists", goes.wordLists],
      ["deletion.keys", goes.keys],
      ["deletion.webhooks", goes.webhooks],
      ["deletion.connections", goes.connections],
      ["deletion.budgets", goes.budgets],
      ["deletion.members", goes.members],
    ]),
  ];
}
