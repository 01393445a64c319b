import { useQuery } from "@tanstack/react-query";
import { CircleHelp, Play, RotateCw, X } from "lucide-react";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { MissingOutputs } from "../../../components/run/missing-outputs.tsx";
import { NextTry } from "../../../components/run/next-try.tsx";
import { ResolveDialog } from "../../../components/run/resolve/resolve-dialog.tsx";
import { isEnded } from "../../../components/run/run-facts.ts";
import { useRunLive } from "../../../components/run/run-live.ts";
import { useRunTitle } from "../../../components/run/run-row.tsx";
import { RunStateTag } from "../../../components/run/run-state.tsx";
import { useRunActions } from "../../../components/run/use-run-actions.ts";
import { isWaiting } from "../../../components/run/waiting.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import type { WaitsFor } from "../../../data/run-stream.ts";
import { BackLink } from "../../../frame/back-link.tsx";
import { PageSection } from "../../../frame/page.tsx";
import { Screen } from "../../../frame/screen.tsx";
import { formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import {
  RunAlias,
  RunAttempts,
  RunInput,
  RunMoney,
  RunTiming,
  RunWarnings,
} from "./run-details.tsx";
import { RunError } from "./run-error.tsx";
import { RunLog } from "./run-log.tsx";
import { RunOutputs } from "./run-outputs.tsx";
import styles from "./run-page.module.css";

/** One run: what came of it, what went in, its money, its time, its attempts and its log. */
export function RunPage({ runId }: { runId: string }) {
  const query = useQuery(runQuery(runId));
  if (query.data) return <LoadedRun detail={query.data} />;
  return (
    <Screen
      title={t("screen.activity")}
      heading={t("screen.activity")}
      back={<BackLink to="/activity" label={t("run.back")} />}
    >
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <RunSkeleton />
      )}
    </Screen>
  );
}

function LoadedRun({ detail }: { detail: RouteOutput<"getRun"> }) {
  const { run } = detail;
  const title = useRunTitle(run);
  const isMissing = isEnded(run) && detail.outputs.some(({ state }) => state !== "stored");
  return (
    <Screen
      title={t("screen.activity")}
      heading={title}
      back={<BackLink to="/activity" label={t("run.back")} />}
      actions={<RunActions run={run} />}
    >
      <div className={styles.page}>
        <div className={styles.main}>
          <RunHead run={run} title={title} waitsFor={detail.waitsFor} />
          {isWaiting(run) && (
            <p className={styles.why}>{t(`run.waits.${run.waitingFor ?? "restore"}`)}</p>
          )}
          <RunAlias run={run} model={detail.model} passedOver={detail.passedOver} />
          {run.error && <RunError run={run} error={run.error} />}
          <PageSection title={t("run.outputs")}>
            {(detail.assets.length > 0 || !isMissing) && (
              <RunOutputs run={run} assets={detail.assets} />
            )}
            {isMissing && <MissingOutputs run={run} outputs={detail.outputs} />}
          </PageSection>
          <RunWarnings run={run} />
          <RunInput run={run} inputs={detail.inputs} />
          <PageSection title={t("run.log")}>
            <RunLog run={run} />
          </PageSection>
        </div>
        <aside className={styles.side} aria-label={t("run.facts")}>
          <RunMoney run={run} model={detail.model} />
          <RunTiming run={run} apiKey={detail.apiKey} />
          <RunAttempts attempts={detail.attempts} />
        </aside>
      </div>
    </Screen>
  );
}

function RunHead({ run, title, waitsFor }: { run: Run; title: string; waitsFor: WaitsFor | null }) {
  const live = useRunLive(run);
  const isOpen = !isEnded(run) && run.state !== "unconfirmed";
  const shown = isOpen ? (live.waitsFor ?? (live.state === "queued" ? waitsFor : null)) : null;
  return (
    <div className={styles.head} aria-live="polite">
      <RunStateTag run={{ ...run, state: live.state }} share={live.share} />
      {shown && (
        <span>
          {shown.reason} <NextTry waitsFor={shown} />
        </span>
      )}
      {isOpen && live.queuePlace !== null && (
        <span>{t("run.place", { place: live.queuePlace })}</span>
      )}
      {isOpen && live.share !== null && (
        <>
          <span className={styles.bar}>
            <ProgressBar value={live.share} label={t("run.progress", { title })} tone="busy" />
          </span>
          <span aria-hidden>{formatShare(live.share)}</span>
          {live.label && <span>{live.label}</span>}
        </>
      )}
    </div>
  );
}

function RunActions({ run }: { run: Run }) {
  const { cancel, tryAgain, goOn, canEdit } = useRunActions(run);
  const [isDeciding, setDeciding] = useState(false);
  if (!canEdit) return null;
  return (
    <>
      {run.state === "unconfirmed" && (
        <Button variant="primary" icon={CircleHelp} onClick={() => setDeciding(true)}>
          {t("run.decide")}
        </Button>
      )}
      {goOn && (
        <Button variant="primary" icon={Play} busy={goOn.isPending} onClick={goOn.start}>
          {t("run.goOn", { reason: run.waitingFor ?? "budget" })}
        </Button>
      )}
      {cancel && (
        <Button icon={X} busy={cancel.isPending} onClick={cancel.start}>
          {t("run.cancel")}
        </Button>
      )}
      {tryAgain && (
        <Button
          variant="primary"
          icon={RotateCw}
          busy={tryAgain.isPending}
          onClick={tryAgain.start}
        >
          {t("ui.tryAgain")}
        </Button>
      )}
      <ResolveDialog run={run} open={isDeciding} onOpenChange={setDeciding} />
    </>
  );
}

function RunSkeleton() {
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
