import { useNavigate, useParams } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { type Task, taskNames, tasks } from "#contract/tasks.ts";
import styles from "../../components/run/run-shelf.module.css";
import { useSearchValue } from "../../data/use-search-value.ts";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { ActivityList, type Shown } from "./activity-list.tsx";
import { RunPage } from "./run/run-page.tsx";

/** Functions, because messages load after the module. */
const listShelves = (): { value: Shown; label: string }[] => [
  { value: "all", label: t("activity.filter.all") },
  { value: "open", label: t("activity.filter.open") },
  { value: "unconfirmed", label: t("activity.filter.unconfirmed") },
  { value: "ended", label: t("activity.filter.ended") },
];

const isTask = (value: string | undefined): value is Task =>
  taskNames.some((name) => name === value);

/** All runs, live, or the page of one run. */
export function ActivityScreen() {
  const { runId } = useParams({ strict: false });
  return runId ? <RunPage key={runId} runId={runId} /> : <RunList />;
}

function RunList() {
  const [show, setShow] = useSearchValue("show");
  const [taskText, setTask] = useSearchValue("task");
  const shelves = listShelves();
  const shown = shelves.find(({ value }) => value === show)?.value ?? "all";
  const task = isTask(taskText) ? taskText : undefined;
  const navigate = useNavigate();
  const clear = () => void navigate({ to: "/activity", search: {} });
  const tools = (
    <>
      <Segmented
        label={t("activity.filter")}
        value={shown}
        onValueChange={(next) => setShow(next === "all" ? null : next)}
        options={shelves}
        className={styles.filter}
      />
      <TaskFilter task={task} onTask={setTask} />
    </>
  );
  return (
    <Screen title={t("screen.activity")} heading={t("screen.activity")} tools={tools}>
      <ActivityList shown={shown} task={task} onClear={clear} />
    </Screen>
  );
}

function TaskFilter({
  task,
  onTask,
}: {
  task: Task | undefined;
  onTask: (task: string | null) => void;
}) {
  return (
    <Menu
      label={t("activity.task")}
      align="start"
      entries={[
        {
          label: t("activity.task.any"),
          checked: task === undefined,
          onSelect: () => onTask(null),
        },
        ...taskNames.map((name) => ({
          label: tasks[name].name,
          checked: task === name,
          onSelect: () => onTask(name),
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
