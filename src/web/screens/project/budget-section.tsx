import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { BudgetStanding, Project } from "#contract/entities.ts";
import { BudgetBar } from "../../components/budgets/budget-bar.tsx";
import { BudgetDialog } from "../../components/budgets/budget-dialog.tsx";
import { draftOf, newDraft } from "../../components/budgets/budget-draft.ts";
import { perPeriod } from "../../components/budgets/budget-words.ts";
import barStyles from "../../components/budgets/budgets.module.css";
import { budgetsQuery, useSetProjectBudget } from "../../data/queries/budgets.queries.ts";
import { deviceTimeZone } from "../../data/regions.ts";
import { PageSection } from "../../frame/page.tsx";
import { getRegion } from "../../messages/region.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { describeError } from "../../ui/describe-error.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";

/** What the project may cost: the managers' own budget, which they change, beside the admin's, which they read. */
export function BudgetSection({ project }: { project: Project }) {
  const { data, error, refetch } = useQuery(budgetsQuery);
  const [editing, setEditing] = useState<{
    changed: BudgetStanding | null;
    isOpen: boolean;
    time: number;
  } | null>(null);
  const [removing, setRemoving] = useState<BudgetStanding | null>(null);
  const mayManage = project.role === "manager";
  const budgets = (data ?? []).filter(
    ({ scope, scopeId }) => scope === "project" && scopeId === project.id,
  );
  if (!mayManage && budgets.length === 0) return null;
  const edit = (changed: BudgetStanding | null) =>
    setEditing((before) => ({ changed, isOpen: true, time: (before?.time ?? 0) + 1 }));
  const waysOf = (budget: BudgetStanding) =>
    mayManage &&
    budget.authority === "manager" && (
      <>
        <IconButton
          size="small"
          icon={Pencil}
          label={t("budgets.change.of", { name: perPeriod(budget.period) })}
          onClick={() => edit(budget)}
        />
        <IconButton
          size="small"
          icon={Trash2}
          label={t("budgets.remove.of", { name: perPeriod(budget.period) })}
          onClick={() => setRemoving(budget)}
        />
      </>
    );
  return (
    <PageSection
      title={t("project.budget")}
      intro={t("project.budget.intro")}
      action={
        mayManage && (
          <Button size="small" icon={Plus} onClick={() => edit(null)}>
            {t("budgets.set")}
          </Button>
        )
      }
    >
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data && budgets.length === 0 && <p>{t("project.budget.none")}</p>}
      <ul className={barStyles.list}>
        {budgets.map((budget) => (
          <BudgetBar key={budget.id} budget={budget} name={project.name} actions={waysOf(budget)} />
        ))}
      </ul>
      {editing && (
        <SetProjectBudget
          key={editing.time}
          project={project}
          {...editing}
          onClose={() => setEditing({ ...editing, isOpen: false })}
        />
      )}
      <RemoveProjectBudget
        projectId={project.id}
        budget={removing}
        onClose={() => setRemoving(null)}
      />
    </PageSection>
  );
}

type SetProps = {
  project: Project;
  changed: BudgetStanding | null;
  isOpen: boolean;
  onClose: () => void;
};
function SetProjectBudget({ project, changed, isOpen, onClose }: SetProps) {
  const set = useSetProjectBudget(project.id);
  const toast = useToast();
  return (
    <BudgetDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t("project.budget.title", { name: project.name })}
      initial={changed ? draftOf(changed) : newDraft(getRegion().timeZone ?? deviceTimeZone())}
      isPeriodFixed={changed !== null}
      asks="manager"
      submitLabel={t("project.budget.submit")}
      isBusy={set.isPending}
      error={set.error}
      onSubmit={(setting) =>
        set.mutate(setting, {
          onSuccess: () => {
            toast({ text: t("project.budget.done") });
            onClose();
          },
        })
      }
    />
  );
}

function RemoveProjectBudget({
  projectId,
  budget,
  onClose,
}: {
  projectId: string;
  budget: BudgetStanding | null;
  onClose: () => void;
}) {
  const set = useSetProjectBudget(projectId);
  const toast = useToast();
  const remove = () => {
    if (!budget) return;
    const { period, timeZone, onLimit } = budget;
    set.mutate(
      { period, timeZone, onLimit, limitMicros: null },
      {
        onSuccess: () => toast({ text: t("project.budget.removed") }),
        onError: (error) => {
          const { title, advice } = describeError(error);
          toast({ kind: "error", text: title, detail: advice });
        },
        onSettled: onClose,
      },
    );
  };
  return (
    <ConfirmDialog
      open={budget !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("project.budget.remove.title", { period: budget ? perPeriod(budget.period) : "" })}
      confirmLabel={t("ui.remove")}
      danger
      busy={set.isPending}
      onConfirm={remove}
    >
      {t("project.budget.remove.text")}
    </ConfirmDialog>
  );
}
