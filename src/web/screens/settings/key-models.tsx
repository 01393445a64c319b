import { limits } from "#contract/limits.ts";
import { AddModel } from "../../components/composer/add-model.tsx";
import type { KeyModel } from "../../components/keys/key-draft.ts";
import { isSameModel, toModelPath } from "../../data/model-ref.ts";
import { t } from "../../messages/t.ts";
import { TagChip } from "../../ui/controls/chip.tsx";
import { Field } from "../../ui/controls/field.tsx";
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
            <AddModel
              label={t("keys.form.models.add")}
              projectId={projectId}
              added={models}
              task="all"
              onChoose={({ connectionId, modelId, name }) =>
                onChange([...models, { connectionId, modelId, name }])
              }
            />
          )}
        </div>
      )}
    </Field>
  );
}
