import { Select } from "../../../ui/controls/select.tsx";
import styles from "./model-choice.module.css";
import { keyOf, type VoiceModels } from "./voice-models.ts";

/** Chooses and remembers the model. */
export function ModelChoice({ models, label }: { models: VoiceModels; label: string }) {
  const options = models.models.map((model) => ({
    value: keyOf(model),
    label: model.name,
    detail: model.connectionName,
  }));
  return (
    <Select
      className={styles.select}
      aria-label={label}
      value={models.chosen && keyOf(models.chosen)}
      options={options}
      onValueChange={(value) => {
        const model = models.models.find((known) => keyOf(known) === value);
        if (model) models.choose(model);
      }}
    />
  );
}
