import { ChevronDown } from "lucide-react";
import { lazy } from "react";
import type { Model } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/chip.tsx";
import { Part } from "../../ui/part.tsx";
import { Popover } from "../../ui/popover.tsx";
import { SkeletonText } from "../../ui/skeleton.tsx";
import styles from "./model-picker.module.css";

const ModelList = lazy(() => import("./model-list.tsx").then(({ ModelList }) => ({ default: ModelList })));

export type ModelPickerProps = {
  projectId: string;
  model: Model | null;
  onChoose: (model: Model) => void;
};

/** Which model answers next. */
export function ModelPicker({ projectId, model, onChoose }: ModelPickerProps) {
  const name = model?.name ?? t("chat.model.none");
  return (
    <Popover
      title={t("chat.model.choose")}
      isTitleHidden
      side="top"
      align="start"
      width={360}
      trigger={
        <Chip endIcon={ChevronDown} aria-label={t("chat.model.chosen", { name })}>
          {name}
        </Chip>
      }
    >
      {(close) => (
        <Part
          fallback={
            <div className={styles.loading} aria-busy="true">
              <SkeletonText lines={5} />
            </div>
          }
        >
          <ModelList
            projectId={projectId}
            chosen={model}
            onChoose={(choice) => {
              onChoose(choice);
              close();
            }}
          />
        </Part>
      )}
    </Popover>
  );
}
