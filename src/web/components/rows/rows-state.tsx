import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { RowsSkeleton } from "./rows.tsx";

type RowsStateProps = {
  query: { isPending: boolean; error: Error | null; refetch: () => unknown };
  /** How many rows the skeleton shows. */
  rows?: number;
};

/** Stands in for rows while their query is pending, and shows its error. */
export const RowsState = ({ query, rows }: RowsStateProps) => (
  <>
    {query.isPending && <RowsSkeleton label={t("ui.loading")} rows={rows} />}
    {query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
  </>
);
