import type { Model } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { expectedPrice, formatPrice, type Price, sumPrices } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { type EstimateProps, useEstimate, useOtherEstimates } from "./use-estimate.ts";

type Estimate = Parameters<typeof expectedPrice>[0];

const isPriced = ({ prices, ceilingMicros }: Pick<Model, "prices" | "ceilingMicros">): boolean =>
  prices.length > 0 || ceilingMicros !== null;

/** The price of one model's answer; null until the estimate loads. */
function priceOf(model: Model, estimate: Estimate | undefined): Price | null {
  if (isFree(model.prices)) return { kind: "free" };
  if (!isPriced(model)) return { kind: "unknown" };
  return estimate ? expectedPrice(estimate) : null;
}

/**
 * The estimated cost of the next answer, or of several models' answers together; null until it is
 * known.
 */
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

/** The estimated cost of the next answer, updated while the person types. */
export function NextPrice(props: EstimateProps) {
  const price = useNextPrice(props);
  return price && <PriceText price={price} />;
}

/** A price, with its upper bound on hover. */
export function PriceText({ price }: { price: Price }) {
  const most =
    price.kind === "about" && price.mostMicros !== undefined
      ? t("money.answerMost", { price: formatPrice({ kind: "at-most", micros: price.mostMicros }) })
      : undefined;
  return <span data-tooltip={most}>{formatPrice(price)}</span>;
}
