import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { openRunsQuery } from "../../app-data.ts";
import { hourOf } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Screen } from "../../shell/screen.tsx";
import { useSession } from "../../shell/shell-data.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { Part } from "../../ui/part.tsx";
import { useNow } from "../../ui/time.tsx";
import { isWaiting } from "../activity/waiting.ts";
import { FirstSteps } from "./first-steps.tsx";
import styles from "./home.module.css";
import { recentTalksQuery, recentWorkQuery } from "./home.queries.ts";
import { HomeComposer } from "./home-composer.tsx";
import { RecentTalks } from "./recent-talks.tsx";
import { RecentWork, RecentWorkSkeleton } from "./recent-work.tsx";
import { useNeeds } from "./use-needs.ts";

const RunningNow = lazy(() => import("./running-now.tsx").then(({ RunningNow }) => ({ default: RunningNow })));
const NeedsYou = lazy(() => import("./needs-you.tsx").then(({ NeedsYou }) => ({ default: NeedsYou })));

/** The greeting of an hour, 0 to 23. */
const greetingOf = (hour: number) =>
  hour >= 5 && hour < 12 ? "home.morning" : hour >= 12 && hour < 18 ? "home.afternoon" : "home.evening";

/** Where the day begins: ask or make; what needs one; what runs; what was made and said last. */
export function HomeScreen() {
  const { project } = useSession();
  const now = useNow();
  const work = useQuery(recentWorkQuery(project.id));
  const talks = useQuery(recentTalksQuery(project.id));
  const runs = useQuery(openRunsQuery(project.id)).data?.runs ?? [];
  const running = runs.filter((run) => run.state !== "unknown" && !isWaiting(run));
  const needs = useNeeds(runs);
  const canEdit = project.role !== "viewer";
  const failed = [work, talks].find(({ error, data }) => error && !data);
  const isFresh = work.data?.assets.length === 0 && talks.data?.conversations.length === 0 && runs.length === 0;
  return (
    <Screen title={t("screen.home")} isHeaderBare>
      <div className={styles.page}>
        <div className={styles.head}>
          <h1 className={styles.greeting}>{t(greetingOf(hourOf(now)))}</h1>
          {canEdit && <HomeComposer key={project.id} />}
        </div>
        <div className={styles.below}>
          {needs.count > 0 && (
            <Part>
              <NeedsYou needs={needs} />
            </Part>
          )}
          {running.length > 0 && (
            <Part>
              <RunningNow runs={running} />
            </Part>
          )}
          {failed && (
            <ErrorState
              compact
              error={failed.error}
              onRetry={() => {
                void work.refetch();
                void talks.refetch();
              }}
            />
          )}
          {isFresh && canEdit && <FirstSteps />}
          {work.isPending ? <RecentWorkSkeleton /> : <RecentWork assets={work.data?.assets ?? []} />}
          <RecentTalks conversations={talks.data?.conversations ?? []} />
        </div>
      </div>
    </Screen>
  );
}
