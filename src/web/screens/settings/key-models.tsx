import { Plus } from "lucide-react";
import { limits } from "#contract/limits.ts";
import { LazyModelList } from "../../components/composer/lazy-model-list.tsx";
import type { KeyModel } from "../../components/keys/key-draft.ts";
import { isSameModel, toModelPath } from "../../data/model-ref.ts";
import { t } from "../../messages/t.ts";
import { Chip, TagChip } from "../../ui/controls/chip.tsx";
import { Field } from "../../ui/controls/field.tsx";
import { Popover } from "../../ui/overlays/popover.tsx";
import styles from "./keys.module.css";

export type KeyModelsProps = {
  projectId: string;
  models: readonly KeyModel[];
  error: string | null;
  onChange: (models: KeyModel[]) => void;
};

/** The models that a key is limited to, each as a chip; without any, the key may use all. */
export function KeyModels({ projectId, models, error, onChange }: KeyModelsProps) {
  return (
    <Field
      label={t("keys.form.models")}
      hint={t(models.length > 0 ? "keys.form.models.some" : "keys.form.models.all")}
      error={error}
      isGroup
    >
      {() => (
        <div className={styles.models}>
          {models.map((model) => (
            <TagChip
              key={toModelPath(model)}
              onRemove={() => onChange(models.filter((one) => !isSameModel(one, model)))}
              removeLabel={t("keys.form.models.remove", { name: model.name })}
            >
              {model.name}
            </TagChip>
          ))}
          {models.length < limits.modelsPerKey && (
            <Popover
              title={t("keys.form.models.add")}
              isTitleHidden
              side="top"
              align="start"
              width={400}
              trigger={<Chip icon={Plus}>{t("keys.form.models.add")}</Chip>}
            >
              {(close) => (
                <LazyModelList
                  projectId={projectId}
                  chosen={null}
                  without={models}
                  task="all"
                  onChoose={({ connectionId, modelId, name }) => {
                    onChange([...models, { connectionId, modelId, name }]);
                    close();
                  }}
                />
              )}
            </Popover>
          )}
        </div>
      )}
    </Field>
  );
}
