import { t } from "../../messages/t.ts";
import { ErrorState } from "../display/error-state.tsx";
import { ListSkeleton } from "./list.tsx";

type ListStateProps = {
  query: { isPending: boolean; error: Error | null; refetch: () => unknown };
  /** How many rows the skeleton shows. */
  rows?: number;
};

/** Stands in for rows while their query is pending, and shows its error. */
export const ListState = ({ query, rows }: ListStateProps) => (
  <>
    {query.isPending && <ListSkeleton label={t("ui.loading")} rows={rows} />}
    {query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
  </>
);
