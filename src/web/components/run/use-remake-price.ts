import { useQuery } from "@tanstack/react-query";
import type { ModelDetail, Run } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { remakeRequest } from "../../data/queries/create.queries.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { formatPrice } from "../../messages/format.ts";
import { estimatePrice } from "../model/estimate-price.ts";

/** The price of making a recipe again or varying it. Nothing is sent before it is known. */
export function useRemakePrice(run: Run | null): {
  /** Null while the model loads, and for a run that can't be made again. */
  again: string | null;
  vary: string | null;
  model: ModelDetail | undefined;
  isComing: boolean;
  /** The model is no longer available. */
  isGone: boolean;
} {
  const ref = run && isMadeByForm(run.task) ? run : null;
  const { data: model, isError, isLoading } = useQuery(modelQuery(run?.projectId ?? "", ref));
  const price = (kind: "again" | "vary") =>
    ref && model ? formatPrice(estimatePrice(model, remakeRequest(ref, kind))) : null;
  return {
    again: price("again"),
    vary: price("vary"),
    model,
    isComing: isLoading,
    isGone: isError && !model,
  };
}
