import { CircleAlert, CirclePlus } from "lucide-react";
import type { ModelRef } from "#contract/entities.ts";
import { ActionPopover } from "../../frame/action-popover.tsx";
import { t } from "../../messages/t.ts";
import { TagChip } from "../../ui/controls/chip.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { LazyModelList } from "./lazy-model-list.tsx";
import { isBroken, type OtherModel, type OtherModels as Others } from "./use-other-models.ts";

type OtherModelsProps = {
  projectId: string;
  chosen: ModelRef | null;
  others: Others;
  nameOf: (ref: ModelRef) => string;
};

/**
 * The models that answer side by side with the chosen one, each as a chip, and the chip that adds
 * one.
 */
export function OtherModels({ projectId, chosen, others, nameOf }: OtherModelsProps) {
  return (
    <>
      {others.list.map((other) => (
        <OtherChip
          key={`${other.ref.connectionId} ${other.ref.modelId}`}
          other={other}
          name={other.state === "ready" ? other.model.name : nameOf(other.ref)}
          onRemove={() => others.remove(other.ref)}
        />
      ))}
      {chosen && others.mayAdd && (
        <ActionPopover
          act="model.add"
          icon={CirclePlus}
          title={t("chat.model.add")}
          isTitleHidden
          side="top"
          align="start"
          width={400}
          trigger={<IconButton size="small" icon={CirclePlus} label={t("chat.model.add")} />}
        >
          {(close) => (
            <LazyModelList
              projectId={projectId}
              chosen={null}
              without={[chosen, ...others.list.map(({ ref }) => ref)]}
              onChoose={(choice) => {
                others.add(choice);
                close();
              }}
            />
          )}
        </ActionPopover>
      )}
    </>
  );
}

type OtherChipProps = { other: OtherModel; name: string; onRemove: () => void };

/** An unavailable model keeps its chip, which shows the problem. */
function OtherChip({ other, name, onRemove }: OtherChipProps) {
  return (
    <TagChip
      icon={isBroken(other) ? CircleAlert : undefined}
      isBroken={isBroken(other)}
      tooltip={isBroken(other) ? t(`chat.model.${other.state}`, { name }) : undefined}
      onRemove={onRemove}
      removeLabel={t("chat.model.remove", { name })}
    >
      {name}
    </TagChip>
  );
}
