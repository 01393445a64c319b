import { useQuery } from "@tanstack/react-query";
import { useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { BackLink } from "../../../frame/back-link.tsx";
import { Screen } from "../../../frame/screen.tsx";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import styles from "./run-page.module.css";

/** Loads the run's components as soon as a run is opened. */
export const loadRun = () => import("./loaded-run.tsx").then(({ LoadedRun }) => LoadedRun);
const LoadedRun = lazyPart(loadRun);

/** The page of a run: results, input, cost, timing, attempts and log. */
export function RunPage({ runId }: { runId: string }) {
  const query = useQuery(runQuery(runId));
  const coming = (
    <Screen
      title={t("screen.activity")}
      heading={t("screen.activity")}
      back={<BackLink to="/activity" label={t("run.back")} />}
    >
      {query.error && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <RunSkeleton />
      )}
    </Screen>
  );
  if (!query.data) return coming;
  return (
    <Part fallback={coming}>
      <LoadedRun detail={query.data} />
    </Part>
  );
}

function RunSkeleton() {
  useViewerList("coming");
  return (
    <div className={styles.page} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <div className={styles.main}>
        <Skeleton width={130} height={18} />
        <Skeleton width="60%" height={220} radius={5} className={styles.gap} />
        <SkeletonText lines={5} />
      </div>
      <div className={styles.side}>
        <SkeletonText lines={8} />
      </div>
    </div>
  );
}
