import type { Model } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import { classes } from "../../ui/classes.ts";
import styles from "./model-list.module.css";
import { ModelMarks } from "./model-marks.tsx";
import { pricesText } from "./price-text.ts";
import { taskIcon } from "./task-icon.ts";

/**
 * The class of a model's row, applied to its link or button. `narrow` moves the task and the
 * connection to the second line.
 */
export const modelLineClass = (narrow = false): string =>
  classes(styles.line, narrow && styles.narrow);

/** The contents of a model's row. */
export function ModelLine({ model, narrow = false }: { model: Model; narrow?: boolean }) {
  const [task] = model.tasks;
  const Icon = task && taskIcon(task);
  // An id equal to the name adds nothing.
  const about = model.description || (model.modelId === model.name ? "" : model.modelId);
  const second = narrow ? [model.connectionName, about].filter(Boolean).join(" · ") : about;
  return (
    <>
      <span className={styles.words}>
        <span className={styles.name}>
          <span className={styles.nameText}>{model.name}</span>
          <ModelMarks model={model} />
        </span>
        {second && <span className={styles.about}>{second}</span>}
      </span>
      <span className={styles.tasks}>
        {Icon && <Icon aria-hidden />}
        {model.tasks.map((name) => tasks[name].name).join(", ")}
      </span>
      <span className={styles.from}>{model.connectionName}</span>
      <span className={styles.price}>{pricesText(model.prices)}</span>
    </>
  );
}
