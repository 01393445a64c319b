import { useQuery } from "@tanstack/react-query";
import { kindsQuery } from "../../data/queries/shared.queries.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { type EstimateProps, useEstimate } from "./use-estimate.ts";

/** What the next answer will likely cost, and on hover what it can't pass, while the person types. */
export function NextPrice(props: EstimateProps) {
  const kinds = useQuery(kindsQuery).data;
  const { model } = props.chosen;
  // What is built in is no kind that one can connect, and so not among them.
  const isFree =
    model &&
    (model.connectionKind === "builtin" ||
      kinds?.some(({ kind, free }) => free && kind === model.connectionKind));
  const isPriced = model !== null && (model.prices.length > 0 || model.ceilingMicros !== null);
  const { data } = useEstimate(props, !isFree && isPriced);
  if (!model || !kinds) return null;
  if (isFree) return formatPrice({ kind: "free" });
  if (isPriced && !data) return null;
  if (!data || data.likelyMicros === null)
    return formatPrice(
      data && data.mostMicros !== null
        ? { kind: "at-most", micros: data.mostMicros }
        : { kind: "unknown" },
    );
  const most =
    data.mostMicros === null
      ? undefined
      : t("money.answerMost", { price: formatPrice({ kind: "at-most", micros: data.mostMicros }) });
  return (
    <span data-tooltip={most}>
      {formatPrice(
        data.likelyMicros === 0 ? { kind: "free" } : { kind: "about", micros: data.likelyMicros },
      )}
    </span>
  );
}
