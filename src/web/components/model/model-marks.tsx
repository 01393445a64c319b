import { useState } from "react";
import type { Model } from "#contract/entities.ts";
import { isNewModel } from "#contract/filters/model-filters.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import styles from "./model-marks.module.css";

/** Marks next to a model's name: recently added, or being retired. */
export function ModelMarks({ model }: { model: Pick<Model, "status" | "cameAt"> }) {
  const [now] = useState(Date.now);
  if (model.status !== "active")
    return (
      <span className={classes(styles.mark, styles.old)}>
        {t(model.status === "gone" ? "models.gone" : "models.deprecated")}
      </span>
    );
  return isNewModel(model, now) && <span className={styles.mark}>{t("models.new")}</span>;
}
