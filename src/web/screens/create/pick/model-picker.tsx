import { useDeferredValue, useState } from "react";
import type { Model } from "#contract/entities.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/chip.tsx";
import { SearchField } from "../../../ui/text-field.tsx";
import { ModelLine, modelLineClass } from "../../models/model-line.tsx";
import { ModelList } from "../../models/model-list.tsx";
import { taskIcon } from "../../models/task-icon.ts";
import styles from "./pick.module.css";

export type ModelPickerProps = {
  projectId: string;
  /** The tasks one may choose between; of one there is no choice to show. */
  offered: readonly Task[];
  task: Task;
  /** Leaves models out that can't take what is at hand. */
  keep?: (model: Model) => boolean;
  onPick: (model: Model, task: Task) => void;
};

/** The catalogue, searched, to choose one model from. */
export function ModelPicker({ projectId, offered, task: first, keep, onPick }: ModelPickerProps) {
  const [search, setSearch] = useState("");
  const [task, setTask] = useState(first);
  const filter = { task, search: useDeferredValue(search) };
  return (
    <div className={styles.picker}>
      <div className={styles.bar}>
        <SearchField label={t("models.search")} value={search} onValueChange={setSearch} autoFocus className={styles.search} />
        {offered.length > 1 && (
          <div className={styles.chips}>
            {offered.map((name) => (
              <Chip key={name} icon={taskIcon(name)} selected={name === task} onClick={() => setTask(name)}>
                {tasks[name].name}
              </Chip>
            ))}
          </div>
        )}
      </div>
      <ModelList
        projectId={projectId}
        filter={filter}
        keep={keep}
        renderRow={(model) => (
          <button type="button" className={modelLineClass(true)} onClick={() => onPick(model, task)}>
            <ModelLine model={model} narrow />
          </button>
        )}
        empty={<p className={styles.nothing}>{t("create.pick.none")}</p>}
      />
    </div>
  );
}
