import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, ListFilter } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import type { Task } from "#contract/tasks.ts";
import { ResolveButton } from "../../components/run/resolve/resolve-button.tsx";
import styles from "../../components/run/run-shelf.module.css";
import { MoreButton, RunDays, RunShelf } from "../../components/run/run-shelf.tsx";
import { isWaiting } from "../../components/run/waiting.ts";
import { WaitingShelf } from "../../components/run/waiting-shelf.tsx";
import { runPagesQuery } from "../../data/queries/activity.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";

export type Shown = "all" | "open" | "unconfirmed" | "ended";

/** All runs of the project: unconfirmed, needing approval, active, then finished by day. */
export function ActivityList({
  shown,
  task,
  onClear,
}: {
  shown: Shown;
  task: Task | undefined;
  onClear: () => void;
}) {
  const { project } = useSession();
  const wants = (shelf: Shown) => shown === "all" || shown === shelf;
  const unconfirmedPages = useInfiniteQuery({
    ...runPagesQuery(project.id, "unconfirmed", task),
    enabled: shown !== "ended",
  });
  const waiting = useInfiniteQuery({
    ...runPagesQuery(project.id, "waiting", task),
    enabled: wants("open"),
  });
  const open = useInfiniteQuery({
    ...runPagesQuery(project.id, "open", task),
    enabled: wants("open"),
  });
  const ended = useInfiniteQuery({
    ...runPagesQuery(project.id, "ended", task),
    enabled: wants("ended"),
  });
  const asked = [
    shown !== "ended" && unconfirmedPages,
    wants("open") && waiting,
    wants("open") && open,
    wants("ended") && ended,
  ].filter((query) => query !== false);
  const failed = asked.find((query) => query.error && !query.data);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (asked.some((query) => query.isPending)) return <ActivitySkeleton />;
  const runsOf = (query: typeof open, isAsked: boolean) =>
    isAsked ? (query.data?.pages.flatMap((page) => page.runs) ?? []) : [];
  const unconfirmed = runsOf(unconfirmedPages, shown !== "ended");
  const held = runsOf(waiting, wants("open"));
  // Unconfirmed and waiting runs are open too, but have their own sections.
  const now = runsOf(open, wants("open")).filter(
    (run) => run.state !== "unconfirmed" && !isWaiting(run),
  );
  const past = runsOf(ended, wants("ended"));
  const last = asked.findLast((query) => query.hasNextPage);
  if (unconfirmed.length + held.length + now.length + past.length === 0)
    return <NoRuns isFiltered={shown !== "all" || task !== undefined} onClear={onClear} />;
  return (
    <div className={styles.page}>
      {unconfirmed.length > 0 && <UnconfirmedShelf runs={unconfirmed} />}
      {held.length > 0 && <WaitingShelf runs={held} />}
      {now.length > 0 && <RunShelf title={t("activity.now")} runs={now} />}
      <RunDays runs={past} />
      {last && (
        <MoreButton busy={last.isFetchingNextPage} onMore={() => void last.fetchNextPage()} />
      )}
    </div>
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
