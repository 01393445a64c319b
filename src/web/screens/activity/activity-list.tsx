import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, ListFilter } from "lucide-react";
import type { Asset, Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { RunPicturesProvider } from "../../components/run/list/run-pictures.tsx";
import { ResolveButton } from "../../components/run/resolve/resolve-button.tsx";
import styles from "../../components/run/run-shelf.module.css";
import { MoreButton, RunDays, RunShelf } from "../../components/run/run-shelf.tsx";
import { isWaiting } from "../../components/run/waiting.ts";
import { WaitingShelf } from "../../components/run/waiting-shelf.tsx";
import { groupBy } from "../../data/group-by.ts";
import { runPagesQuery, type RunShelf as Shelf } from "../../data/queries/activity.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import type { ActivityFilter, Shown } from "./activity-filter.ts";

/**
 * All runs of the project: unconfirmed, needing approval, active, then finished by day. A search,
 * and one state, are one list by day.
 */
export function ActivityList({ shown, filter, clear }: ActivityFilter) {
  const isSections = ["all", "open", "unconfirmed", "ended"].includes(shown) && !filter.q;
  return isSections ? (
    <Sections shown={shown} filter={filter} clear={clear} />
  ) : (
    <ByDay shown={shown} filter={filter} clear={clear} />
  );
}

type ListProps = Pick<ActivityFilter, "shown" | "filter" | "clear">;

const useRuns = (state: Shelf, { filter }: ListProps, enabled: boolean) => {
  const { project } = useSession();
  return useInfiniteQuery({ ...runPagesQuery(project.id, state, filter), enabled });
};

type Pages = { data: { pages: { runs: Run[]; assets: Asset[] }[] } | undefined };
const runsOf = ({ data }: Pages) => data?.pages.flatMap(({ runs }) => runs) ?? [];
/** The files of all loaded pages, by run. */
const picturesOf = (pages: readonly Pages[]): ReadonlyMap<string, Asset[]> =>
  groupBy(
    pages.flatMap(({ data }) => data?.pages.flatMap(({ assets }) => assets) ?? []),
    ({ runId }) => runId ?? "",
  );

function Sections(props: ListProps) {
  const { shown, filter, clear } = props;
  const wants = (shelf: Shown) => shown === "all" || shown === shelf;
  const unconfirmedPages = useRuns("unconfirmed", props, shown !== "ended");
  const waiting = useRuns("waiting", props, wants("open"));
  const open = useRuns("open", props, wants("open"));
  const ended = useRuns("ended", props, wants("ended"));
  const asked = [
    shown !== "ended" && unconfirmedPages,
    wants("open") && waiting,
    wants("open") && open,
    wants("ended") && ended,
  ].filter((query) => query !== false);
  const failed = asked.find((query) => query.error && !query.data);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (asked.some((query) => query.isPending)) return <ActivitySkeleton />;
  const of = (query: typeof open, isAsked: boolean) => (isAsked ? runsOf(query) : []);
  const unconfirmed = of(unconfirmedPages, shown !== "ended");
  const held = of(waiting, wants("open"));
  // Unconfirmed and waiting runs are open too, but have their own sections.
  const now = of(open, wants("open")).filter(
    (run) => run.state !== "unconfirmed" && !isWaiting(run),
  );
  const past = of(ended, wants("ended"));
  const last = asked.findLast((query) => query.hasNextPage);
  const isFiltered = shown !== "all" || Object.keys(filter).length > 0;
  if (unconfirmed.length + held.length + now.length + past.length === 0 && !last)
    return <NoRuns isFiltered={isFiltered} onClear={clear} />;
  return (
    <RunPicturesProvider value={picturesOf(asked)}>
      <div className={styles.page}>
        {unconfirmed.length > 0 && <UnconfirmedShelf runs={unconfirmed} />}
        {held.length > 0 && <WaitingShelf runs={held} />}
        {now.length > 0 && <RunShelf title={t("activity.now")} runs={now} />}
        <RunDays runs={past} />
        {last && (
          <MoreButton busy={last.isFetchingNextPage} onMore={() => void last.fetchNextPage()} />
        )}
      </div>
    </RunPicturesProvider>
  );
}

/** Runs of one state, or those that a search finds. */
function ByDay(props: ListProps) {
  const found = useRuns(props.shown, props, true);
  if (found.error && !found.data)
    return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (found.isPending) return <ActivitySkeleton />;
  const runs = runsOf(found);
  if (runs.length === 0 && !found.hasNextPage) return <NoRuns isFiltered onClear={props.clear} />;
  return (
    <RunPicturesProvider value={picturesOf([found])}>
      <div className={styles.page} aria-busy={found.isPlaceholderData || undefined}>
        <RunDays runs={runs} />
        {runs.length === 0 && (
          <EmptyState icon={ListFilter} title={t("activity.none")}>
            {t("activity.older.text")}
          </EmptyState>
        )}
        {found.hasNextPage && (
          <MoreButton
            label={runs.length === 0 ? t("activity.older") : undefined}
            busy={found.isFetchingNextPage}
            onMore={() => void found.fetchNextPage()}
          />
        )}
      </div>
    </RunPicturesProvider>
  );
}

/** Unconfirmed runs, which can be resolved together. */
function UnconfirmedShelf({ runs }: { runs: readonly Run[] }) {
  const { project } = useSession();
  const [first, ...more] = runs;
  return (
    <div className={styles.waiting}>
      <RunShelf
        title={runStateText("unconfirmed")}
        intro={t("activity.unconfirmed.intro")}
        runs={runs}
      />
      {first && more.length > 0 && project.role !== "viewer" && (
        <div className={styles.all}>
          <ResolveButton runs={[first, ...more]} />
        </div>
      )}
    </div>
  );
}

function NoRuns({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={ListFilter}
        title={t("activity.none")}
        action={<Button onClick={onClear}>{t("activity.none.clear")}</Button>}
      >
        {t("activity.none.text")}
      </EmptyState>
    );
  const action = (
    <>
      <Link to="/chat" className={buttonClass({ variant: "primary" })}>
        {t("activity.empty.ask")}
      </Link>
      <Link to="/create" className={buttonClass()}>
        {t("activity.empty.make")}
      </Link>
    </>
  );
  return (
    <EmptyState icon={Activity} title={t("activity.empty")} action={action}>
      {t("activity.empty.text")}
    </EmptyState>
  );
}

function ActivitySkeleton() {
  return (
    <div className={styles.page} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      {Array.from({ length: 9 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows to come have no identity
        <div key={row} className={styles.skeletonRow}>
          <Skeleton width={90} />
          <Skeleton width={`${64 - ((row * 17) % 40)}%`} />
          <Skeleton width={80} />
        </div>
      ))}
    </div>
  );
}
