import type { Model } from "#contract/entities.ts";
import { getRegion } from "../../messages/region.ts";
import { t } from "../../messages/t.ts";
import { modalityIcons } from "./modality-icons.ts";
import styles from "./model-reads.module.css";

/** A model's context window and the kinds of input that it accepts, in the width of a few icons. */
export function ModelReads({ model }: { model: Pick<Model, "inputModalities" | "limits"> }) {
  const { contextTokens } = model.limits;
  const accepts = t("models.filter.takes", {
    what: model.inputModalities.map((modality) => t(`models.modality.${modality}`)).join(", "),
  });
  return (
    <span className={styles.reads}>
      {typeof contextTokens === "number" && (
        <span>{t("models.context", { count: formatTokens(contextTokens) })}</span>
      )}
      {model.inputModalities.length > 0 && (
        <span role="img" aria-label={accepts} title={accepts} className={styles.icons}>
          {model.inputModalities.map((modality) => {
            const Icon = modalityIcons[modality];
            return <Icon key={modality} aria-hidden />;
          })}
        </span>
      )}
    </span>
  );
}

/** "128K" */
const formatTokens = (count: number): string =>
  new Intl.NumberFormat(getRegion().locale, {
    notation: "compact",
    maximumSignificantDigits: 3,
  }).format(count);
