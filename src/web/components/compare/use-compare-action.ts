import { Columns2 } from "lucide-react";
import { limits } from "#contract/limits.ts";
import { t } from "../../messages/t.ts";
import { useCompare } from "./compare.queries.ts";

/** The act that opens 2 to 8 results side by side; null for fewer or more. */
export function useCompareAction(ids: readonly string[]) {
  const compare = useCompare();
  if (ids.length < 2 || ids.length > limits.comparisonEntries) return null;
  return {
    id: "compare",
    title: t("compare.act"),
    icon: Columns2,
    isPending: compare.isPending,
    run: () => compare.mutate({ entries: ids.map((assetId) => ({ assetId })) }),
  };
}
