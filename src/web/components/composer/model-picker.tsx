import { Boxes, ChevronDown } from "lucide-react";
import type { Model } from "#contract/entities.ts";
import { ActionPopover } from "../../frame/action-popover.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { LazyModelList } from "./lazy-model-list.tsx";

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
    <ActionPopover
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
        <LazyModelList
          projectId={projectId}
          chosen={model}
          keep={keep}
          onChoose={(choice) => {
            onChoose(choice);
            close();
          }}
        />
      )}
    </ActionPopover>
  );
}
