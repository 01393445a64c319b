import type { Model } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import styles from "./model-line.module.css";
import { ModelMarks } from "./model-marks.tsx";
import { ModelReads } from "./model-reads.tsx";
import { pricesText } from "./price-text.ts";
import { taskIcon } from "./task-icon.ts";

/** The class of a model's row, applied to its link or button. */
export const modelLineClass = styles.line;

/**
 * The contents of a model's row, the same in every list and picker: name, context and accepted
 * inputs, then connection, price and description. `wide` gives the task, the connection and the
 * price a column of their own where there is room.
 */
export function ModelLine({ model, wide = false }: { model: Model; wide?: boolean }) {
  const [task] = model.tasks;
  const Icon = task && taskIcon(task);
  // An id equal to the name adds nothing.
  const about = model.description || (model.modelId === model.name ? "" : model.modelId);
  const price = pricesText(model.prices);
  return (
    <>
      <span className={styles.words} data-wide={wide || undefined}>
        <span className={styles.name}>
          <span className={styles.nameText}>{model.name}</span>
          <ModelMarks model={model} />
          <ModelReads model={model} />
        </span>
        <span className={styles.second}>
          <span className={styles.place}>
            <span className={styles.connection}>{model.connectionName}</span>
            {` · ${price}`}
          </span>
          {about && <span className={styles.about}>{about}</span>}
        </span>
      </span>
      {wide && (
        <>
          <span className={styles.tasks}>
            {Icon && <Icon aria-hidden />}
            {model.tasks.map((name) => tasks[name].name).join(", ")}
          </span>
          <span className={styles.from}>{model.connectionName}</span>
          <span className={styles.price}>{price}</span>
        </>
      )}
    </>
  );
}
