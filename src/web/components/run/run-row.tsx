import { Link } from "@tanstack/react-router";
import { CircleHelp, Play, RotateCw, X } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import { isEpochReason } from "#contract/waiting-reasons.ts";
import { useModelName } from "../../data/queries/activity.queries.ts";
import { useRowActions } from "../../frame/action-menu.tsx";
import { formatDuration, formatPrice, formatShare } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { ProgressBar } from "../../ui/display/progress.tsx";
import { Time } from "../../ui/display/time.tsx";
import rowStyles from "../../ui/lists/row-target.module.css";
import { approvalText } from "./approval-text.ts";
import { RunPictures } from "./list/run-pictures.tsx";
import { NextAttempt } from "./next-attempt.tsx";
import { ResolveButton } from "./resolve/resolve-button.tsx";
import { useUnconfirmed } from "./resolve/unconfirmed-facts.ts";
import { isEnded, priceOf, tookMs } from "./run-facts.ts";
import { useRunLive } from "./run-live.ts";
import styles from "./run-row.module.css";
import { RunStateTag } from "./run-state.tsx";
import { useRunTitle } from "./run-title.ts";
import { useRunActions } from "./use-run-actions.ts";

/** A run in a list: title, model, progress, cost, time, and its current actions. */
export function RunRow({ run }: { run: Run }) {
  const title = useRunTitle(run);
  const model = useModelName(run);
  const live = useRunLive(run);
  const unconfirmed = useUnconfirmed(run).words;
  const price = priceOf(run);
  const took = tookMs(run);
  const isOpen = !isEnded(run) && run.state !== "unconfirmed";
  const isMaking = isOpen && live.state !== "storing";
  const wait = isOpen ? live.waitsFor : null;
  const expiring = isOpen
    ? run.warnings.find(({ type }) => type === "expiring")?.message
    : undefined;
  const details = [
    approvalText(run),
    model,
    tasks[run.task].name,
    live.state === "submitted" && live.queuePlace !== null
      ? t("run.place", { place: live.queuePlace })
      : null,
    isMaking && live.share !== null ? formatShare(live.share) : null,
    isMaking ? live.label : null,
    expiring,
  ];
  return (
    <li data-row className={styles.row}>
      <RunPictures runs={[run]} />
      <span className={styles.state}>
        <RunStateTag run={{ ...run, state: live.state }} share={live.share} />
      </span>
      <span className={styles.words}>
        <Link
          to="/activity/$runId"
          params={{ runId: run.id }}
          search={(search) => search}
          className={classes(styles.title, rowStyles.target)}
        >
          {title}
        </Link>
        <span className={classes(styles.detail, (unconfirmed || expiring || wait) && styles.whole)}>
          {run.error && isEnded(run) ? run.error.message : details.filter(Boolean).join(" · ")}
          {unconfirmed && ` · ${unconfirmed}`}
          {wait && (
            <>
              {` · ${wait.reason} `}
              <NextAttempt waitsFor={wait} />
            </>
          )}
        </span>
        {isMaking && live.share !== null && (
          <span className={styles.bar}>
            <ProgressBar value={live.share} label={t("run.progress", { title })} tone="busy" />
          </span>
        )}
      </span>
      <span className={styles.price}>{formatPrice(price)}</span>
      <span className={styles.when}>
        <Time at={run.createdAt} />
        {took !== null && <span className={styles.took}>{formatDuration(took)}</span>}
      </span>
      <RunAction run={run} title={title} />
    </li>
  );
}

/** The actions on a run in its state: cancel, resolve, approve, retry. */
function RunAction({ run, title }: { run: Run; title: string }) {
  const { canEdit } = useRunActions(run);
  const acts = useRunRowActions(run, title);
  const at = useRowActions<HTMLSpanElement>(
    title,
    acts.filter(({ isPending }) => !isPending),
  );
  return (
    <span ref={at} className={styles.actions}>
      {canEdit && run.state === "unconfirmed" && (
        <ResolveButton
          size="small"
          icon={CircleHelp}
          aria-label={t("run.decide.of", { title })}
          runs={[run]}
        />
      )}
      {acts.map(({ id, label, icon, isPending, run: start }) => (
        <IconButton key={id} icon={icon} label={label} disabled={isPending} onClick={start} />
      ))}
    </span>
  );
}

/** A row's immediate acts, for its buttons and the palette. */
function useRunRowActions(run: Run, title: string) {
  const { cancel, retry, goOn, canEdit } = useRunActions(run);
  if (!canEdit) return [];
  const isHeld = String(isEpochReason(run.waitingFor));
  return [
    ...(goOn
      ? [
          {
            id: "goOn",
            title: t("run.goOn", { isHeld }),
            label: t("run.goOn.of", { isHeld, title }),
            icon: Play,
            isPending: goOn.isPending,
            run: goOn.start,
          },
        ]
      : []),
    ...(cancel
      ? [
          {
            id: "cancel",
            title: t("run.cancel"),
            label: t("run.cancel.of", { title }),
            icon: X,
            isPending: cancel.isPending,
            run: cancel.start,
          },
        ]
      : []),
    ...(retry && !cancel && !goOn
      ? [
          {
            id: "retry",
            title: t("run.retry"),
            label: t("run.retry.of", { title }),
            icon: RotateCw,
            isPending: retry.isPending,
            run: retry.start,
          },
        ]
      : []),
  ];
}
