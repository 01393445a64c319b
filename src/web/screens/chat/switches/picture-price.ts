import { useEffect, useState } from "react";
import type { Model, ModelDetail } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { formatPrice, type Price } from "../../../messages/format.ts";
import { preload } from "../../../ui/part.tsx";

type PriceOf = (model: ModelDetail) => Price;

const costs = (model: Pick<Model, "prices">): boolean => !isFree(model.prices);
/**
 * Prices one picture with the model's defaults. The code that prices a form is loaded only for
 * models that cost something.
 */
const load = async (): Promise<PriceOf> => {
  const { estimatePrice } = await import("../../../components/model/estimate-price.ts");
  return (model) => estimatePrice(model, { input: {}, variants: 1 });
};

/** Loads the pricing code while the details of a listed model are loading. */
export function usePreloadPrice(model: Pick<Model, "prices"> | undefined): void {
  const isWanted = model !== undefined && costs(model);
  useEffect(() => {
    if (isWanted) preload(load);
  }, [isWanted]);
}

/** Returns a function that formats the price of one picture; null until the price is known. */
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
