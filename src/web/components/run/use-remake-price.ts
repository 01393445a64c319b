import { useQuery } from "@tanstack/react-query";
import type { ModelDetail, Run } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { askAgain } from "../../data/queries/create.queries.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { formatPrice } from "../../messages/format.ts";
import { estimatePrice } from "../model/estimate-price.ts";

/** What making a recipe again, or varying it, will cost: nothing is sent before this is known. */
export function useRemakePrice(run: Run | null): {
  /** Null while the model is asked for, and for a run that isn't made again. */
  again: string | null;
  vary: string | null;
  model: ModelDetail | undefined;
  /** Its model can't be used any more. */
  isGone: boolean;
} {
  const ref = run && isMadeByForm(run.task) ? run : null;
  const { data: model, isError } = useQuery(modelQuery(run?.projectId ?? "", ref));
  const price = (kind: "again" | "vary") =>
    ref && model ? formatPrice(estimatePrice(model, askAgain(ref, kind))) : null;
  return { again: price("again"), vary: price("vary"), model, isGone: isError && !model };
}
