import {
  CircleAlert,
  CircleSlash,
  Eye,
  HelpCircle,
  RotateCw,
  SlidersHorizontal,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import { isKeyRefusal } from "#contract/errors.ts";
import { runStateText } from "#contract/run-states.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { ConnectionLink } from "../../connections/connection-link.tsx";
import { chargeText } from "../charge-text.ts";
import { ResolveButton } from "../resolve/resolve-button.tsx";
import { useRunTitle } from "../run-title.ts";
import { useRunActions } from "../use-run-actions.ts";
import type { TileActions } from "./tile-actions.ts";
import styles from "./tiles.module.css";

/** A tile for a run that ended without a file: its outcome, cost and actions. */
export function EndedTile({
  run,
  actions,
  isSelected,
}: {
  run: Run;
  actions: TileActions;
  isSelected: boolean;
}) {
  const state = run.state === "succeeded" ? "text" : run.state;
  const { retry } = useRunActions(run);
  const at = useRowActions<HTMLDivElement>(useRunTitle(run), [
    {
      id: "details",
      title: t("run.tile.details"),
      icon: Eye,
      run: () => actions.selectRun(run),
    },
    ...(retry && actions.mayEdit
      ? [{ id: "retry", title: t("run.retry"), icon: RotateCw, run: retry.start }]
      : []),
    ...(state === "failed" && actions.mayEdit
      ? [
          {
            id: "change",
            title: t("run.changeAndTry"),
            icon: SlidersHorizontal,
            run: () => actions.change(run),
          },
        ]
      : []),
  ]);
  return (
    <div
      ref={at}
      data-row
      className={styles.tile}
      data-state={state}
      data-selected={isSelected || undefined}
    >
      <div className={styles.words}>
        {state === "failed" && <Failed run={run} actions={actions} />}
        {state === "unconfirmed" && <Unconfirmed run={run} actions={actions} />}
        {state === "cancelled" && <Cancelled run={run} actions={actions} />}
        {state === "text" && (
          <p className={styles.result}>{run.result ? textOf(run.result) : t("run.tile.nothing")}</p>
        )}
      </div>
      <div className={styles.tools}>
        <IconButton
          size="small"
          icon={Eye}
          label={t("run.tile.details")}
          onClick={() => actions.selectRun(run)}
        />
      </div>
    </div>
  );
}

function Failed({ run, actions }: { run: Run; actions: TileActions }) {
  const { title, advice, retryable, connectionId, code } = describeError(run.error);
  const { retry } = useRunActions(run);
  return (
    <>
      <p className={styles.bad} title={title}>
        <CircleAlert aria-hidden />
        <span>{title}</span>
      </p>
      {advice && (
        <p className={styles.advice} title={advice}>
          {advice}
        </p>
      )}
      <p className={styles.charge}>{chargeText(run)}</p>
      <p className={styles.links}>
        {retryable && retry && actions.mayEdit && (
          <EndedAction onClick={retry.start}>{t("run.retry")}</EndedAction>
        )}
        {isKeyRefusal(code) && connectionId && (
          <ConnectionLink connectionId={connectionId} projectId={run.projectId} />
        )}
        {actions.mayEdit && (
          <EndedAction onClick={() => actions.change(run)}>{t("run.changeAndTry")}</EndedAction>
        )}
      </p>
    </>
  );
}

function Unconfirmed({ run, actions }: { run: Run; actions: TileActions }) {
  return (
    <>
      <p className={styles.warn}>
        <HelpCircle aria-hidden />
        {runStateText("unconfirmed")}
      </p>
      <p>{t("run.unconfirmed.check")}</p>
      {actions.mayEdit && (
        <div className={styles.way}>
          <ResolveButton size="small" runs={[run]} />
        </div>
      )}
    </>
  );
}

function Cancelled({ run, actions }: { run: Run; actions: TileActions }) {
  const { retry } = useRunActions(run);
  return (
    <>
      <p className={styles.still}>
        <CircleSlash aria-hidden />
        {runStateText("cancelled")}
      </p>
      <p>{chargeText(run)}</p>
      {retry && actions.mayEdit && (
        <p className={styles.links}>
          <EndedAction onClick={retry.start}>{t("run.retry")}</EndedAction>
        </p>
      )}
    </>
  );
}

const EndedAction = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button type="button" onClick={onClick}>
    {children}
  </button>
);

/** The text of a result without files, such as a transcript; otherwise its JSON. */
function textOf(result: Record<string, unknown>): string {
  for (const name of ["text", "output", "answer"])
    if (typeof result[name] === "string") return result[name];
  return JSON.stringify(result, null, 2);
}
