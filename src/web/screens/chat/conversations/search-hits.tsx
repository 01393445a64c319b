import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { searchQuery } from "../../../data/queries/chat.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { splitMatches } from "../../../ui/split-matches.ts";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import { useFiled } from "../folders/use-filed.ts";
import styles from "./conversation-pane.module.css";

/** Messages that contain the search words, with their context. A hit opens its branch. */
export function SearchHits({ projectId, q }: { projectId: string; q: string }) {
  const filed = useFiled();
  const [archived] = useSearchValue("archived");
  // The archive has no folders.
  const found = useQuery(searchQuery(projectId, q, archived === undefined ? filed : {}));
  const hits = found.data?.hits ?? [];
  return (
    <nav
      className={styles.scroll}
      aria-label={t("chat.search.results")}
      aria-busy={found.isFetching}
    >
      <VisuallyHidden live="polite">
        {found.isSuccess ? t("chat.search.count", { count: hits.length }) : ""}
      </VisuallyHidden>
      {found.isError && (
        <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
      )}
      {found.isSuccess && hits.length === 0 && (
        <p className={styles.note}>{t("chat.search.empty", { q })}</p>
      )}
      {hits.map(({ conversation, messageId, snippet }) => (
        <Link
          key={messageId}
          to="/chat/$id"
          params={{ id: conversation.id }}
          search={({ q: kept, inspector, archived, folder, tag }) => ({
            q: kept,
            inspector,
            archived,
            folder,
            tag,
            message: messageId,
          })}
          activeOptions={{ includeSearch: true }}
          className={styles.hit}
        >
          <span className={styles.hitTitle}>{conversation.title || t("chat.untitled")}</span>
          <span className={styles.snippet}>
            {splitMatches(snippet, q).map(({ at, text, isMatch }) =>
              isMatch ? <mark key={at}>{text}</mark> : text,
            )}
          </span>
        </Link>
      ))}
    </nav>
  );
}
