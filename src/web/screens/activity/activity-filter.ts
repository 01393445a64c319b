import { useNavigate, useSearch } from "@tanstack/react-router";
import { runStateText } from "#contract/run-states.ts";
import { type Task, taskNames } from "#contract/tasks.ts";
import { fromModelPath } from "../../data/model-ref.ts";
import type { RunFilter } from "../../data/queries/activity.queries.ts";
import { t } from "../../messages/t.ts";

/** The states that the pane lists, in the order of a run's life. */
export const shownStates = [
  "all",
  "open",
  "waiting",
  "unconfirmed",
  "ended",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export type Shown = (typeof shownStates)[number];

export const shownText = (shown: Shown): string =>
  shown === "succeeded" || shown === "failed" || shown === "cancelled"
    ? runStateText(shown)
    : t(`activity.filter.${shown}`);

type FilterKey = "show" | "task" | "by" | "model" | "q";
export type ActivityFilter = {
  shown: Shown;
  filter: RunFilter;
  /** In the form that the address uses. */
  model: string | undefined;
  set: (change: Partial<Record<FilterKey, string | null>>) => void;
  clear: () => void;
};

/** The address's filter of runs. */
export function useActivityFilter(): ActivityFilter {
  const { show, task, by, model, q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const ref = fromModelPath(model);
  const known: Task | undefined = taskNames.find((name) => name === task);
  return {
    shown: shownStates.find((name) => name === show) ?? "all",
    filter: {
      ...(known && { task: known }),
      ...(by && { createdBy: by }),
      ...(ref && { connectionId: ref.connectionId, modelId: ref.modelId }),
      ...(q?.trim() && { q: q.trim() }),
    },
    model,
    set: (change) =>
      void navigate({
        to: ".",
        search: (before) => ({
          ...before,
          ...Object.fromEntries(
            Object.entries(change).map(([key, value]) => [key, value ?? undefined]),
          ),
        }),
        replace: true,
      }),
    clear: () => void navigate({ to: "/activity", search: {} }),
  };
}
