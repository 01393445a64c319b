import { useQuery } from "@tanstack/react-query";
import { Eye, Logs, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { useRunStream } from "../../../data/run-stream.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { approvalText } from "../approval-text.ts";
import { RunLog } from "../detail/run-log.tsx";
import { NextAttempt } from "../next-attempt.tsx";
import { useRunTitle } from "../run-title.ts";
import { useRunActions } from "../use-run-actions.ts";
import { EndedTile } from "./ended-tile.tsx";
import { progressText } from "./progress-text.ts";
import type { TileActions } from "./tile-actions.ts";
import styles from "./tiles.module.css";

/** The tile of a run without files: queued, running, failed, canceled or unconfirmed. */
export function RunTile({
  run,
  actions,
  isSelected,
}: {
  run: Run;
  actions: TileActions;
  isSelected: boolean;
}) {
  const isOpen = !isFinal(run.state) && run.state !== "unconfirmed";
  if (!isOpen) return <EndedTile run={run} actions={actions} isSelected={isSelected} />;
  return <OpenTile run={run} actions={actions} isSelected={isSelected} />;
}

function OpenTile({
  run,
  actions,
  isSelected,
}: {
  run: Run;
  actions: TileActions;
  isSelected: boolean;
}) {
  const [hasLog, setLog] = useState(false);
  const { canEdit, cancel } = useRunActions(run);
  const stream = useRunStream(run.id);
  const state = stream.state ?? run.state;
  const isCancelling = run.cancelRequestedAt !== null;
  const progress = stream.progress ?? run.progress;
  const place = stream.queuePlace ?? run.queuePlace;
  const hasPicture = stream.previewUrl !== null;
  // Previews and progress of built-in and direct models can arrive before the state changes.
  const isAtWork = hasPicture || stream.progress !== null;
  const isWaiting =
    !isAtWork &&
    (state === "queued" || state === "submitting" || (state === "submitted" && place !== null));
  const words = isCancelling
    ? t("run.cancelling")
    : (approvalText({ ...run, state }) ??
      stateText(state, progress, place, stream.waitsFor !== null));
  const isQueued = isWaiting && !isCancelling && state === "queued";
  const paused =
    useQuery(runQuery(isQueued && run.waitingFor === null ? run.id : null)).data?.waitsFor ?? null;
  const waitsAgain = isQueued ? (stream.waitsFor ?? paused) : null;
  const share = progress && progress.total > 0 ? progress.done / progress.total : null;
  const at = useRowActions<HTMLDivElement>(useRunTitle(run), [
    {
      id: "details",
      title: t("run.tile.details"),
      icon: Eye,
      run: () => actions.selectRun(run),
    },
    ...(cancel && canEdit && !isCancelling
      ? [{ id: "cancel", title: t("run.cancel"), icon: X, run: cancel.start }]
      : []),
    ...(stream.logs.length > 0
      ? [{ id: "log", title: t("run.log.show"), icon: Logs, run: () => setLog(true) }]
      : []),
  ]);
  return (
    <div
      ref={at}
      data-row
      className={styles.tile}
      data-state={isWaiting ? "waiting" : "working"}
      data-selected={isSelected || undefined}
      aria-busy
    >
      {stream.previewUrl && <img className={styles.preview} src={stream.previewUrl} alt="" />}
      <button
        type="button"
        className={styles.cover}
        aria-label={t("run.tile.open", { state: words })}
        onClick={() => actions.selectRun(run)}
      />
      {isWaiting ? (
        <Middle>
          {waitsAgain ? (
            <>
              <span className={styles.reason} title={waitsAgain.reason}>
                {waitsAgain.reason}
              </span>
              <span>
                <NextAttempt waitsFor={waitsAgain} />
              </span>
              {canEdit && (
                <button type="button" className={styles.stop} onClick={cancel?.start}>
                  {t("ui.stop")}
                </button>
              )}
            </>
          ) : (
            words
          )}
        </Middle>
      ) : (
        <div className={hasPicture ? styles.footOver : styles.foot}>
          <span>{words}</span>
          {stream.waitsFor && state !== "queued" && (
            <span className={styles.reason} title={stream.waitsFor.reason}>
              {stream.waitsFor.reason} <NextAttempt waitsFor={stream.waitsFor} />
            </span>
          )}
          <ProgressBar value={share} label={words} tone={hasPicture ? "over" : "busy"} />
        </div>
      )}
      <div className={styles.tools}>
        {stream.logs.length > 0 && (
          <IconButton
            size="small"
            icon={Logs}
            label={t("run.log.show")}
            onClick={() => setLog(true)}
          />
        )}
        {!isCancelling && canEdit && (
          <IconButton size="small" icon={X} label={t("ui.cancel")} onClick={cancel?.start} />
        )}
      </div>
      <Dialog open={hasLog} onOpenChange={setLog} title={t("run.log")} size="wide">
        <RunLog run={run} />
      </Dialog>
    </div>
  );
}

function stateText(
  state: Run["state"],
  progress: Run["progress"],
  place: number | null,
  isAgain: boolean,
): string {
  if (place !== null && place > 0 && (state === "queued" || state === "submitted"))
    return t("run.place", { place });
  if (state === "storing") return runStateText(state);
  if (isAgain) return t("run.tile.again");
  if (progress) return progressText(progress);
  return runStateText(state);
}

function Middle({ children }: { children: ReactNode }) {
  return <div className={styles.middle}>{children}</div>;
}
