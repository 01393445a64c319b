import { t } from "../../messages/t.ts";
import { ErrorState } from "../display/error-state.tsx";
import styles from "./list.module.css";
import { ListSkeleton } from "./list.tsx";

type ListStateProps = {
  query: { isPending: boolean; error: Error | null; refetch: () => unknown };
  /** The number of rows in the skeleton. */
  rows?: number;
  /** The message for a search without matches; false while there are matches. */
  none?: string | false;
};

/** Replaces rows while their query is pending, has failed, or is empty. */
export const ListState = ({ query, rows, none }: ListStateProps) => (
  <>
    {query.isPending && <ListSkeleton label={t("ui.loading")} rows={rows} />}
    {query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
    {!query.isPending && !query.error && none && <p className={styles.none}>{none}</p>}
  </>
);
