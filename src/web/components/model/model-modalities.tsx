import { AudioLines, Box, File, Film, Image, type LucideIcon, Type } from "lucide-react";
import type { Model } from "#contract/entities.ts";
import type { Modality } from "#contract/tasks.ts";
import { t } from "../../messages/t.ts";
import styles from "./model-modalities.module.css";

const icons: Record<Modality, LucideIcon> = {
  text: Type,
  image: Image,
  video: Film,
  audio: AudioLines,
  "3d": Box,
  file: File,
};

/** The kinds of input that a model takes, each with an icon and a word. */
export const ModelModalities = ({ model }: { model: Pick<Model, "inputModalities"> }) => (
  <ul className={styles.takes} aria-label={t("models.facts.takes")}>
    {model.inputModalities.map((modality) => {
      const Icon = icons[modality];
      return (
        <li key={modality}>
          <Icon aria-hidden />
          {t(`models.modality.${modality}`)}
        </li>
      );
    })}
  </ul>
);
