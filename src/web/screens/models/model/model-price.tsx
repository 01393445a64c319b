import type { ModelDetail } from "#contract/entities.ts";
import { readUnit } from "#contract/units.ts";
import { priceText } from "../../../components/model/price-text.ts";
import { PageSection } from "../../../frame/page.tsx";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Time } from "../../../ui/display/time.tsx";
import { CeilingForm } from "./ceiling-form.tsx";
import styles from "./model-page.module.css";
import { OwnPriceForm } from "./own-price-form.tsx";

/** The price and its source; managers of the connection can set a price and a ceiling. */
export function ModelPrice({ model, mayManage }: { model: ModelDetail; mayManage: boolean }) {
  const [first] = model.prices;
  const isFree =
    model.prices.length > 0 && model.prices.every(({ micros }) => Number(micros) === 0);
  return (
    <PageSection title={t("models.price")}>
      <div className={styles.text}>
        {first ? (
          <Listed prices={model.prices} source={first.source} at={first.at} />
        ) : (
          <p>{t("models.price.none")}</p>
        )}
        {model.ceilingMicros !== null && (
          <p className={styles.price}>
            {t("models.ceiling.is", { amount: formatMoney(model.ceilingMicros) })}
          </p>
        )}
        {!first && model.ceilingMicros === null && <p>{t("models.price.matters")}</p>}
      </div>
      {mayManage && !(isFree && first?.source !== "person") && (
        <div className={styles.forms}>
          {(!first || first.source === "person") && <OwnPriceForm model={model} />}
          <CeilingForm model={model} />
        </div>
      )}
    </PageSection>
  );
}

function Listed({
  prices,
  source,
  at,
}: {
  prices: ModelDetail["prices"];
  source: string;
  at: number;
}) {
  return (
    <>
      {prices.map((price) => (
        <p key={price.unit} className={styles.price}>
          {priceText(price)}
        </p>
      ))}
      <p>
        {source === "person" ? t("models.price.person") : t("models.price.source", { source })} ·{" "}
        <Time at={at} />
      </p>
      {prices.some(({ unit }) => unit.startsWith("compute")) && <p>{t("models.price.rate")}</p>}
      {prices.some(({ unit, micros }) => readUnit(unit) === null && Number(micros) > 0) && (
        <p>{t("models.price.uncounted")}</p>
      )}
    </>
  );
}
