import { t } from "../../messages/t.ts";
import { ErrorState } from "../display/error-state.tsx";
import styles from "./list.module.css";
import { ListSkeleton } from "./list.tsx";

type ListStateProps = {
  query: { isPending: boolean; error: Error | null; refetch: () => unknown };
  /** How many rows the skeleton shows. */
  rows?: number;
  /** Says that nothing matches a search; false while something does. */
  none?: string | false;
};

/** Stands in for rows while their query is pending or when there are none, and shows its error. */
export const ListState = ({ query, rows, none }: ListStateProps) => (
  <>
    {query.isPending && <ListSkeleton label={t("ui.loading")} rows={rows} />}
    {query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
    {!query.isPending && !query.error && none && <p className={styles.none}>{none}</p>}
  </>
);
