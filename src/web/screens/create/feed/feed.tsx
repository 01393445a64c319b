import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { WandSparkles } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import { batchesQuery } from "../../../data/queries/create.queries.ts";
import { offeredTasksQuery } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { NoModels } from "../lazy-no-models.ts";
import type { Selection } from "./batch-row.tsx";
import styles from "./feed.module.css";
import type { FeedActions } from "./feed-actions.ts";
import { isShown, makesShown, type Shown } from "./shown-batches.ts";

const FeedRows = lazyPart(() => import("./feed-rows.tsx").then(({ FeedRows }) => FeedRows));

/** Loads the next page if fewer batches match. */
const enoughBatches = 8;

type FeedProps = {
  projectId: string;
  shown: Shown;
  actions: FeedActions;
  selection: Selection;
  emptyAction?: ReactNode;
};

/** All results, newest first. Only visible batches are rendered. */
export function Feed({ projectId, shown, actions, selection, emptyAction }: FeedProps) {
  const query = useInfiniteQuery(batchesQuery(projectId));
  const [last, setLast] = useState(-1);
  const { data } = query;
  const all = useMemo(() => data?.pages.flatMap((page) => page.batches) ?? [], [data]);
  const batches = useMemo(() => all.filter((batch) => isShown(batch, shown)), [all, shown]);
  const { hasNextPage, isFetching, fetchNextPage, isFetchNextPageError } = query;
  useEffect(() => {
    const isShort = batches.length < enoughBatches || last >= batches.length - 4;
    if (hasNextPage && !isFetching && !isFetchNextPageError && isShort) void fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, last, batches.length]);

  if (query.isPending) return <Loading />;
  if (query.isError && all.length === 0)
    return (
      <ErrorState
        error={query.error}
        safe={t("create.feed.safe")}
        onRetry={() => void query.refetch()}
      />
    );
  if (batches.length === 0 && !hasNextPage) {
    return <NothingShown isEmpty={all.length === 0} {...{ projectId, shown, emptyAction }} />;
  }
  return (
    <Part fallback={<Loading />}>
      <FeedRows batches={batches} onLast={setLast} actions={actions} selection={selection} />
    </Part>
  );
}

type NothingShownProps = Pick<FeedProps, "projectId" | "shown" | "emptyAction"> & {
  isEmpty: boolean;
};

/** The reason that the feed is empty, with the next step. */
function NothingShown({ projectId, shown, emptyAction, isEmpty }: NothingShownProps) {
  const { data: offered } = useQuery(offeredTasksQuery(projectId));
  if (shown !== "all" && offered && !offered.some((task) => makesShown(task, shown)))
    return (
      <Part>
        <NoModels title={t(`create.none.connect.${shown}`)} text={t("create.none.connect.text")} />
      </Part>
    );
  return (
    <EmptyState
      icon={WandSparkles}
      title={t(isEmpty ? "create.empty.title" : "create.none.title")}
      action={isEmpty ? emptyAction : undefined}
    >
      {t(isEmpty ? "create.empty.text" : "create.none.text")}
    </EmptyState>
  );
}

function Loading() {
  useViewerList("coming");
  return (
    <div className={styles.scroller} role="status" aria-busy aria-label={t("ui.loading")}>
      {["a", "b", "c"].map((row) => (
        <div key={row} className={styles.batch}>
          <div className={styles.head}>
            <Skeleton width="38%" height={22} />
          </div>
          <div className={styles.tiles}>
            {["1", "2", "3", "4"].map((tile) => (
              <Skeleton key={tile} height={176} radius={5} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
