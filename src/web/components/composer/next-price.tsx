import type { Model } from "#contract/entities.ts";
import { isFree } from "#domain/money/prices.ts";
import { foreseen, formatPrice, type Price, sumPrices } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { type EstimateProps, useEstimate, useOtherEstimates } from "./use-estimate.ts";

type Estimate = Parameters<typeof foreseen>[0];

const isPriced = ({ prices, ceilingMicros }: Pick<Model, "prices" | "ceilingMicros">): boolean =>
  prices.length > 0 || ceilingMicros !== null;

/** The price of one model's answer; null until the estimate is here. */
function priceOf(model: Model, estimate: Estimate | undefined): Price | null {
  if (isFree(model.prices)) return { kind: "free" };
  if (!isPriced(model)) return { kind: "unknown" };
  return estimate ? foreseen(estimate) : null;
}

/** What the next answer will likely cost, or the answers of several models together; null until that is known. */
export function useNextPrice(props: EstimateProps): Price | null {
  const { model } = props.chosen;
  const own = useEstimate(props, model !== null && isPriced(model) && !isFree(model.prices));
  const others = useOtherEstimates(props);
  if (!model) return null;
  const prices = [
    priceOf(model, own.data),
    ...(props.others ?? []).map((other, i) => priceOf(other, others[i]?.data)),
  ];
  const known = prices.filter((price) => price !== null);
  return known.length < prices.length ? null : sumPrices(known);
}

/** What the next answer will likely cost, while the person types. */
export function NextPrice(props: EstimateProps) {
  const price = useNextPrice(props);
  return price && <PriceText price={price} />;
}

/** A price, and on hover what it can't pass. */
export function PriceText({ price }: { price: Price }) {
  const most =
    price.kind === "about" && price.mostMicros !== undefined
      ? t("money.answerMost", { price: formatPrice({ kind: "at-most", micros: price.mostMicros }) })
      : undefined;
  return <span data-tooltip={most}>{formatPrice(price)}</span>;
}
