import { t } from "../../messages/t.ts";
import { Button } from "../controls/button.tsx";
import styles from "./list.module.css";

export type ListMoreProps = {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
  /** The list's name, if a page has several. */
  of?: string;
};

/** Loads the next page of a list; renders nothing after the last page. */
export const ListMore = ({ query, of }: ListMoreProps) =>
  query.hasNextPage && (
    <Button
      size="small"
      variant="ghost"
      className={styles.more}
      aria-label={of && `${t("ui.more")}: ${of}`}
      busy={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {t("ui.more")}
    </Button>
  );
