import type { ModelDetail } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { type PictureShape, pictureShapes } from "#contract/picture-shapes.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { isInShape, ratioInShape } from "#domain/files/picture-shape.ts";
import { makesVariants } from "../../components/model/makes-variants.ts";
import { t } from "../../messages/t.ts";
import { SelectField } from "../../ui/controls/select.tsx";
import { Slider } from "../../ui/controls/slider.tsx";
import styles from "./home.module.css";

export type MediaShapeProps = {
  model: ModelDetail;
  task: Task;
  count: number;
  onCount: (count: number) => void;
  /** Null: the model chooses. */
  shape: PictureShape | null;
  onShape: (shape: PictureShape | null) => void;
};

/** The fields behind the chip, in a separate chunk. */
export function MediaShapeForm({ model, task, count, onCount, shape, onShape }: MediaShapeProps) {
  const shapes = pictureShapes.filter((one) => {
    const ratio = ratioInShape(model.inputSchema, one);
    return ratio !== null && isInShape(ratio, one);
  });
  const { many } = tasks[task].makes;
  return (
    <div className={styles.shape}>
      {makesVariants(model) && (
        <Slider
          label={many.charAt(0).toUpperCase() + many.slice(1)}
          value={count}
          onValueChange={onCount}
          min={1}
          max={limits.variantsPerForm}
        />
      )}
      {shapes.length > 0 && (
        <SelectField
          label={t("home.shape.ratio")}
          value={shape ?? ""}
          onValueChange={(value) => onShape(shapes.find((one) => one === value) ?? null)}
          options={[
            { value: "", label: t("home.shape.own") },
            ...shapes.map((one) => ({ value: one as string, label: one })),
          ]}
        />
      )}
    </div>
  );
}
