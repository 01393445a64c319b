import type { Model } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { modalityIcons } from "./modality-icons.ts";
import styles from "./model-modalities.module.css";

/** The kinds of input that a model takes, each with an icon and a word. */
export const ModelModalities = ({ model }: { model: Pick<Model, "inputModalities"> }) => (
  <ul className={styles.takes} aria-label={t("models.facts.takes")}>
    {model.inputModalities.map((modality) => {
      const Icon = modalityIcons[modality];
      return (
        <li key={modality}>
          <Icon aria-hidden />
          {t(`models.modality.${modality}`)}
        </li>
      );
    })}
  </ul>
);
