import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { isWaiting } from "../../components/run/waiting.ts";
import { openRunsQuery } from "../../data/app-data.ts";
import { recentTalksQuery, recentWorkQuery } from "../../data/queries/home.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { loadOptional } from "../../data/stale-page.ts";
import { Screen } from "../../frame/screen.tsx";
import { hourOf } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { FirstSteps } from "./first-steps.tsx";
import styles from "./home.module.css";
import { HomeComposer } from "./home-composer.tsx";
import { InviteLines } from "./invite-lines.tsx";
import { RecentTalks } from "./recent-talks.tsx";
import { RecentWork, RecentWorkSkeleton } from "./recent-work.tsx";
import { UnconfirmedLine } from "./unconfirmed-line.tsx";
import { useNeeds } from "./use-needs.ts";

type Parts = Partial<
  Pick<typeof import("./needs-you.tsx"), "NeedsYou"> &
    Pick<typeof import("./running-now.tsx"), "RunningNow">
>;

/** The parts above the recent work, loaded once there is something to show in them: null until then, empty if loading fails. */
function useParts(isNeeded: boolean): Parts | null {
  const [parts, setParts] = useState<Parts | null>(null);
  const isMissing = isNeeded && parts === null;
  useEffect(() => {
    if (!isMissing) return;
    void loadOptional(() =>
      Promise.all([import("./needs-you.tsx"), import("./running-now.tsx")]),
    ).then((loaded) =>
      setParts(loaded ? { NeedsYou: loaded[0].NeedsYou, RunningNow: loaded[1].RunningNow } : {}),
    );
  }, [isMissing]);
  return parts;
}

/** The greeting for an hour from 0 to 23. */
const greetingOf = (hour: number) =>
  hour >= 5 && hour < 12
    ? "home.morning"
    : hour >= 12 && hour < 18
      ? "home.afternoon"
      : "home.evening";

/** Home: the composer, what needs the person, running runs, and recent work. */
export function HomeScreen() {
  const { project } = useSession();
  const now = useNow();
  const work = useQuery(recentWorkQuery(project.id));
  const talks = useQuery(recentTalksQuery(project.id));
  const open = useQuery(openRunsQuery(project.id));
  const runs = open.data?.runs ?? [];
  const unconfirmed = runs.filter(({ state }) => state === "unconfirmed");
  const running = runs.filter((run) => run.state !== "unconfirmed" && !isWaiting(run));
  const needs = useNeeds(runs);
  const hasParts = needs.count > 0 || running.length > 0;
  const parts = useParts(hasParts);
  const [isShown, setShown] = useState(false);
  const isPending = work.isPending || talks.isPending || open.isPending || needs.isLoading;
  // Shown together, so that nothing shifts what is already visible. What is visible waits for nothing that comes later.
  const isLoading = isPending || (hasParts && parts === null && !isShown);
  useEffect(() => {
    if (!isLoading) setShown(true);
  }, [isLoading]);
  const canEdit = project.role !== "viewer";
  const failed = [work, talks].find(({ error, data }) => error && !data);
  const isFresh =
    work.data?.assets.length === 0 && talks.data?.conversations.length === 0 && runs.length === 0;
  return (
    <Screen title={t("screen.home")} isHeaderBare>
      <div className={styles.page}>
        <div className={styles.head}>
          <h1 className={styles.greeting}>{t(greetingOf(hourOf(now)))}</h1>
          {canEdit && <HomeComposer key={project.id} />}
        </div>
        <UnconfirmedLine runs={unconfirmed} />
        <InviteLines />
        <div className={styles.below}>
          {!isLoading && needs.count > 0 && parts?.NeedsYou && <parts.NeedsYou needs={needs} />}
          {!isLoading && running.length > 0 && parts?.RunningNow && (
            <parts.RunningNow runs={running} />
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
          {isLoading ? (
            <RecentWorkSkeleton />
          ) : (
            <>
              <RecentWork assets={work.data?.assets ?? []} />
              <RecentTalks conversations={talks.data?.conversations ?? []} />
            </>
          )}
        </div>
      </div>
    </Screen>
  );
}
