import { type Task, tasks } from "#contract/tasks.ts";
import { taskIcon } from "../../../components/model/task-icon.ts";
import { t } from "../../../messages/t.ts";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { Select } from "../../../ui/controls/select.tsx";

/** As many tasks as fit in a row of the form. */
const maxInSight = 4;

/** Chooses among the tasks of the connected models. */
export function TaskSwitch({
  offered,
  task,
  onTask,
}: {
  offered: readonly Task[];
  task: Task;
  onTask: (task: Task) => void;
}) {
  if (offered.length < 2) return null;
  if (offered.length <= maxInSight) {
    return (
      <Segmented
        label={t("create.task")}
        value={task}
        onValueChange={onTask}
        options={offered.map((value) => ({ value, label: tasks[value].name }))}
      />
    );
  }
  return (
    <Select
      aria-label={t("create.task")}
      value={task}
      onValueChange={onTask}
      options={offered.map((value) => ({ value, label: tasks[value].name, icon: taskIcon(value) }))}
    />
  );
}
