import { Boxes, ChevronDown } from "lucide-react";
import type { Model } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { ActionPopover } from "../../frame/action-popover.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { LazyModelList } from "./lazy-model-list.tsx";

export type ModelPickerProps = {
  projectId: string;
  model: Model | null;
  /** Asks for a choice instead of saying that there is no model. */
  mustChoose?: boolean;
  onChoose: (model: Model) => void;
  /** Filters the offered models. */
  keep?: (model: Model) => boolean;
  /** The task that the models do; chat by default. */
  task?: Task;
  /** What the model is for: "Speech model". Just "Model" by default. */
  label?: string;
  /** Names the palette's action, if a page has several pickers. */
  act?: string;
  side?: "top" | "bottom";
  isDisabled?: boolean;
};

/** Shows a model and chooses another: for the next answer, for drawing, as a default. */
export function ModelPicker({
  projectId,
  model,
  mustChoose = false,
  onChoose,
  keep,
  task,
  label = t("chat.model"),
  act = "model.choose",
  side = "top",
  isDisabled = false,
}: ModelPickerProps) {
  const name = model?.name ?? t(mustChoose ? "chat.model.choose" : "chat.model.none");
  return (
    <ActionPopover
      act={act}
      icon={Boxes}
      title={t("chat.model.choose")}
      isTitleHidden
      side={side}
      align="start"
      width={400}
      trigger={
        <Chip
          endIcon={ChevronDown}
          disabled={isDisabled}
          aria-label={mustChoose ? name : t("chat.model.chosen", { label, name })}
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
          task={task}
          onChoose={(choice) => {
            onChoose(choice);
            close();
          }}
        />
      )}
    </ActionPopover>
  );
}
