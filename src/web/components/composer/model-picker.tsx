import { Boxes, ChevronDown } from "lucide-react";
import type { Model } from "#contract/entities.ts";
import { ActPopover } from "../../frame/act-popover.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import styles from "./model-picker.module.css";

const ModelList = lazyPart(() => import("./model-list.tsx").then(({ ModelList }) => ModelList));

export type ModelPickerProps = {
  projectId: string;
  model: Model | null;
  /** Models exist, but none is an obvious default. */
  mustChoose?: boolean;
  onChoose: (model: Model) => void;
  /** Filters the offered models; defaults to all chat models. */
  keep?: (model: Model) => boolean;
};

/** Chooses the model for the next answer. */
export function ModelPicker({
  projectId,
  model,
  mustChoose = false,
  onChoose,
  keep,
}: ModelPickerProps) {
  const name = model?.name ?? t(mustChoose ? "chat.model.choose" : "chat.model.none");
  return (
    <ActPopover
      act="model.choose"
      icon={Boxes}
      title={t("chat.model.choose")}
      isTitleHidden
      side="top"
      align="start"
      width={360}
      trigger={
        <Chip
          endIcon={ChevronDown}
          aria-label={mustChoose ? name : t("chat.model.chosen", { name })}
        >
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
            keep={keep}
            onChoose={(choice) => {
              onChoose(choice);
              close();
            }}
          />
        </Part>
      )}
    </ActPopover>
  );
}
