import { isFree } from "#domain/money/prices.ts";
import { foreseen, formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { type EstimateProps, useEstimate } from "./use-estimate.ts";

/** What the next answer will likely cost, and on hover what it can't pass, while the person types. */
export function NextPrice(props: EstimateProps) {
  const { model } = props.chosen;
  const isPriced = model !== null && (model.prices.length > 0 || model.ceilingMicros !== null);
  const isForFree = model !== null && isFree(model.prices);
  const { data } = useEstimate(props, isPriced && !isForFree);
  if (!model) return null;
  if (isForFree) return formatPrice({ kind: "free" });
  if (!isPriced) return formatPrice({ kind: "unknown" });
  if (!data) return null;
  const price = foreseen(data);
  const most =
    price.kind === "about" && price.mostMicros !== undefined
      ? t("money.answerMost", { price: formatPrice({ kind: "at-most", micros: price.mostMicros }) })
      : undefined;
  return <span data-tooltip={most}>{formatPrice(price)}</span>;
}
