import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { taskNames, tasks } from "#contract/tasks.ts";
import { toModelPath } from "../../data/model-ref.ts";
import { useModelName } from "../../data/queries/activity.queries.ts";
import { usedModelsQuery } from "../../data/queries/models.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { usePreload } from "../../ui/part.tsx";
import { type ActivityFilter, shownText, useActivityFilter } from "./activity-filter.ts";
import { ActivityList } from "./activity-list.tsx";
import { ActivityPane } from "./activity-pane.tsx";
import { loadRun, RunPage } from "./run/run-page.tsx";

/** All runs, live, or the page of one run. */
export function ActivityScreen() {
  const { runId } = useParams({ strict: false });
  usePreload(loadRun);
  return runId ? <RunPage key={runId} runId={runId} /> : <RunList />;
}

function RunList() {
  const filter = useActivityFilter();
  const tools = (
    <>
      <TaskFilter {...filter} />
      <ModelFilter {...filter} />
    </>
  );
  return (
    <Screen
      title={t("screen.activity")}
      heading={filter.shown === "all" ? t("screen.activity") : shownText(filter.shown)}
      tools={tools}
      pane={{ children: <ActivityPane {...filter} /> }}
    >
      <ActivityList {...filter} />
    </Screen>
  );
}

function TaskFilter({ filter: { task }, set }: ActivityFilter) {
  return (
    <ActionMenu
      label={t("activity.task")}
      align="start"
      entries={[
        {
          label: t("activity.task.any"),
          checked: task === undefined,
          onSelect: () => set({ task: null }),
        },
        ...taskNames.map((name) => ({
          label: tasks[name].name,
          checked: task === name,
          onSelect: () => set({ task: name }),
        })),
      ]}
      trigger={
        <Chip endIcon={ChevronDown} selected={task ? true : undefined}>
          {task ? tasks[task].name : t("activity.task.any")}
        </Chip>
      }
    />
  );
}

/** Filters by a model that made something in this project. */
function ModelFilter({ filter: { connectionId, modelId }, model, set }: ActivityFilter) {
  const { project } = useSession();
  const used = useInfiniteQuery(usedModelsQuery(project.id, {}));
  const models = used.data?.pages.flatMap((page) => page.models.map((one) => one.model)) ?? [];
  const isChosen = connectionId !== undefined && modelId !== undefined;
  if (models.length === 0 && !isChosen) return null;
  return (
    <ActionMenu
      label={t("activity.model")}
      align="start"
      entries={[
        {
          label: t("activity.model.any"),
          checked: !isChosen,
          onSelect: () => set({ model: null }),
        },
        ...models.map((one) => ({
          label: one.name,
          checked: toModelPath(one) === model,
          onSelect: () => set({ model: toModelPath(one) }),
        })),
      ]}
      trigger={
        <Chip endIcon={ChevronDown} selected={isChosen ? true : undefined}>
          {isChosen ? (
            <ModelName connectionId={connectionId} modelId={modelId} />
          ) : (
            t("activity.model.any")
          )}
        </Chip>
      }
    />
  );
}

const ModelName = (ref: { connectionId: string; modelId: string }) => useModelName(ref);
