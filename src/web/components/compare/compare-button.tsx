import { Columns2 } from "lucide-react";
import { limits } from "#contract/limits.ts";
import { t } from "../../messages/t.ts";
import { useCompare } from "./compare.queries.ts";

/** Opens 2 to 8 results side by side; absent for fewer or more. */
export function CompareButton({
  ids,
  className,
}: {
  ids: readonly string[];
  className?: string | undefined;
}) {
  const compare = useCompare();
  if (ids.length < 2 || ids.length > limits.comparisonEntries) return null;
  return (
    <button
      type="button"
      className={className}
      disabled={compare.isPending}
      onClick={() => compare.mutate(ids.map((assetId) => ({ assetId })))}
    >
      <Columns2 aria-hidden />
      {t("compare.act")}
    </button>
  );
}

/** The compare button as a row's act; undefined for fewer or more results. */
export function useCompareAction(ids: readonly string[]) {
  const compare = useCompare();
  if (ids.length < 2 || ids.length > limits.comparisonEntries) return null;
  return {
    id: "compare",
    title: t("compare.act"),
    icon: Columns2,
    isPending: compare.isPending,
    run: () => compare.mutate(ids.map((assetId) => ({ assetId }))),
  };
}
