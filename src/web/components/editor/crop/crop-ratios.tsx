import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import styles from "./crop-ratios.module.css";

const ratios = ["free", "original", "1:1", "4:3", "3:2", "16:9", "9:16"] as const;
export type Ratio = (typeof ratios)[number];

type CropRatiosProps = {
  chosen: Ratio;
  /** Left out while the picture loads. */
  onChoose?: (ratio: Ratio) => void;
};

/** The ratios offered for a crop. */
export function CropRatios({ chosen, onChoose }: CropRatiosProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would break the row of chips
    <div className={styles.ratios} role="group" aria-label={t("edit.ratio")}>
      {ratios.map((name) => (
        <Chip
          key={name}
          selected={chosen === name}
          disabled={!onChoose}
          onClick={() => onChoose?.(name)}
        >
          {name === "free" || name === "original" ? t(`edit.ratio.${name}`) : name}
        </Chip>
      ))}
    </div>
  );
}
