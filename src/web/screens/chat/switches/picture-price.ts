import { useEffect, useState } from "react";
import type { Model, ModelDetail } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { formatPrice, type Price } from "../../../messages/format.ts";
import { loadEarly } from "../../../ui/part.tsx";

type PriceOf = (model: ModelDetail) => Price;

const costs = (model: Pick<Model, "prices">): boolean => !isFree(model.prices);
/** One picture as the model makes it when nothing else is said. What prices a form is needed only where it costs something. */
const load = async (): Promise<PriceOf> => {
  const { estimatePrice } = await import("../../../components/model/estimate-price.ts");
  return (model) => estimatePrice(model, { input: {}, variants: 1 });
};

/** Brings what prices a model of a list while its details are on their way. */
export function usePriceAhead(model: Pick<Model, "prices"> | undefined): void {
  const isWanted = model !== undefined && costs(model);
  useEffect(() => {
    if (isWanted) loadEarly(load);
  }, [isWanted]);
}

/** Says what one picture of a model costs; null until that is known. */
export function usePicturePrice(makers: readonly ModelDetail[]) {
  const [priceOf, setPriceOf] = useState<PriceOf | null>(null);
  const isWanted = makers.some(costs);
  useEffect(() => {
    const unknown: PriceOf = () => ({ kind: "unknown" });
    if (isWanted)
      load().then(
        (of) => setPriceOf(() => of),
        () => setPriceOf(() => unknown),
      );
  }, [isWanted]);
  return (model: ModelDetail): string | null => {
    if (!costs(model)) return formatPrice({ kind: "free" });
    return priceOf && formatPrice(priceOf(model));
  };
}
