import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  offersModels,
  useReachableConnections,
} from "../../components/connections/use-reachable-connections.ts";
import { useBatchResults } from "../../components/making/use-batch-results.ts";
import { isWaiting } from "../../components/run/waiting.ts";
import { meQuery, openRunsQuery } from "../../data/app-data.ts";
import { recentConversationsQuery, recentWorkQuery } from "../../data/queries/home.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { Screen } from "../../frame/screen.tsx";
import { hourOf } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { firstPart, lazyPart } from "../../ui/lazy-part.ts";
import { OptionalPart, Part } from "../../ui/part.tsx";
import { ConnectLine, FirstSteps } from "./first-steps.tsx";
import styles from "./home.module.css";
import { HomeComposer } from "./home-composer.tsx";
import { NeedsLine } from "./needs-line.tsx";
import { RecentConversations } from "./recent-conversations.tsx";
import { RecentWorkSkeleton } from "./recent-work-skeleton.tsx";
import { useNeeds } from "./use-needs.ts";

const RecentWork = firstPart(() =>
  import("./recent-work.tsx").then(({ RecentWork }) => RecentWork),
);
const Now = lazyPart(() => import("./now.tsx").then(({ Now }) => Now));

/** Kinds that connect no service's model: each tool of a tool server counts as a model. */
const modelless = ["builtin", "mcp"];

/** The greeting for an hour from 0 to 23. */
const greetingOf = (hour: number) =>
  hour >= 5 && hour < 12
    ? "home.morning"
    : hour >= 12 && hour < 18
      ? "home.afternoon"
      : "home.evening";

/** Home: the composer, a line for items that need the person, the current work, and recent work. */
export function HomeScreen() {
  const { project } = useSession();
  return <Home key={project.id} />;
}

/** A placeholder for the current work until its code loads. */
const ComingNow = () => (
  <section className={styles.section} aria-busy="true" aria-label={t("ui.loading")}>
    <h2 className={styles.title}>{t("home.now")}</h2>
    <div className={styles.coming} />
  </section>
);

function Home() {
  const { project } = useSession();
  const now = useNow();
  const work = useQuery(recentWorkQuery(project.id));
  const talks = useQuery(recentConversationsQuery(project.id));
  const open = useQuery(openRunsQuery(project.id));
  const invites = useQuery(meQuery).data?.invites ?? [];
  const connections = useReachableConnections();
  /** Batches made with the composer since Home was opened. */
  const [batchIds, setBatchIds] = useState<string[]>([]);
  const addMade = (batchId: string) => setBatchIds((before) => [...before, batchId]);
  const made = useBatchResults(batchIds);
  const madeIds = new Set(made.flatMap(({ assets }) => assets.map(({ id }) => id)));
  // New results are already shown above.
  const recent = (work.data?.assets ?? []).filter(({ id }) => !madeIds.has(id));
  const runs = open.data?.runs ?? [];
  const unconfirmed = runs.filter(({ state }) => state === "unconfirmed");
  const running = runs.filter((run) => run.state !== "unconfirmed" && !isWaiting(run));
  const needs = useNeeds(runs);
  const [isShown, setShown] = useState(false);
  // Shown together, so that nothing visible moves. Visible content doesn't wait for later queries.
  const isPending = work.isPending || talks.isPending || open.isPending || needs.isLoading;
  const isLoading = isPending && !isShown;
  useEffect(() => {
    if (!isPending) setShown(true);
  }, [isPending]);
  const canEdit = project.role !== "viewer";
  const failed = [work, talks].find(({ error, data }) => error && !data);
  const isFresh =
    work.data?.assets.length === 0 && talks.data?.conversations.length === 0 && runs.length === 0;
  const isConnected = connections.some(
    (connection) => offersModels(connection) && !modelless.includes(connection.kind),
  );
  return (
    <Screen title={t("screen.home")} isHeaderBare>
      <div className={styles.page}>
        <div className={styles.head}>
          <h1 className={styles.greeting}>{t(greetingOf(hourOf(now)))}</h1>
          {canEdit && <HomeComposer onMade={addMade} />}
        </div>
        <NeedsLine
          unconfirmed={unconfirmed}
          invites={invites}
          needs={needs}
          isLoading={isLoading}
        />
        <div className={styles.below}>
          {!isLoading && running.length + batchIds.length > 0 && (
            <OptionalPart fallback={<ComingNow />}>
              <Now runs={running} made={made} batchIds={batchIds} />
            </OptionalPart>
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
          {isFresh && canEdit ? (
            <FirstSteps onMade={addMade} />
          ) : (
            !isLoading && canEdit && !isConnected && <ConnectLine />
          )}
          {isLoading ? (
            <RecentWorkSkeleton />
          ) : (
            <>
              {recent.length > 0 && (
                <Part fallback={<RecentWorkSkeleton />}>
                  <RecentWork assets={recent} />
                </Part>
              )}
              <RecentConversations conversations={talks.data?.conversations ?? []} />
            </>
          )}
        </div>
      </div>
    </Screen>
  );
}
