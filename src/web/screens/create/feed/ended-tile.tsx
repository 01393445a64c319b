import { CircleAlert, CircleSlash, Eye, HelpCircle } from "lucide-react";
import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { ConnectionLink } from "../../../components/connections/connection-link.tsx";
import { chargeWords } from "../../../components/run/charge-words.ts";
import { ResolveButton } from "../../../components/run/resolve/resolve-button.tsx";
import { useRunActions } from "../../../components/run/use-run-actions.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import type { FeedActions } from "./feed-actions.ts";
import styles from "./tiles.module.css";

/** A run that ended without a file: the outcome, the cost and the actions. */
export function EndedTile({
  run,
  actions,
  isSelected,
}: {
  run: Run;
  actions: FeedActions;
  isSelected: boolean;
}) {
  const state = run.state === "succeeded" ? "text" : run.state;
  return (
    <div className={styles.tile} data-state={state} data-selected={isSelected || undefined}>
      <div className={styles.words}>
        {state === "failed" && <Failed run={run} actions={actions} />}
        {state === "unconfirmed" && <Unconfirmed run={run} actions={actions} />}
        {state === "cancelled" && <Cancelled run={run} actions={actions} />}
        {state === "text" && (
          <p className={styles.result}>
            {run.result ? textOf(run.result) : t("create.tile.nothing")}
          </p>
        )}
      </div>
      <div className={styles.tools}>
        <IconButton
          size="small"
          icon={Eye}
          label={t("create.tile.details")}
          onClick={() => actions.selectRun(run)}
        />
      </div>
    </div>
  );
}

function Failed({ run, actions }: { run: Run; actions: FeedActions }) {
  const { title, advice, retryable, connectionId, code } = describeError(run.error);
  const { retry } = useRunActions(run);
  return (
    <>
      <p className={styles.bad} title={title}>
        <CircleAlert aria-hidden />
        <span>{title}</span>
      </p>
      <p className={styles.advice} title={advice}>
        {advice}
      </p>
      <p className={styles.charge}>{chargeWords(run)}</p>
      <p className={styles.links}>
        {retryable && retry && actions.mayEdit && <Act onClick={retry.start}>{t("run.retry")}</Act>}
        {code === "provider_auth" && connectionId && (
          <ConnectionLink connectionId={connectionId} projectId={run.projectId} />
        )}
        {actions.mayEdit && (
          <Act onClick={() => actions.change(run)}>{t("create.changeAndTry")}</Act>
        )}
      </p>
    </>
  );
}

function Unconfirmed({ run, actions }: { run: Run; actions: FeedActions }) {
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

function Cancelled({ run, actions }: { run: Run; actions: FeedActions }) {
  const { retry } = useRunActions(run);
  return (
    <>
      <p className={styles.still}>
        <CircleSlash aria-hidden />
        {runStateText("cancelled")}
      </p>
      <p>{chargeWords(run)}</p>
      {retry && actions.mayEdit && (
        <p className={styles.links}>
          <Act onClick={retry.start}>{t("run.retry")}</Act>
        </p>
      )}
    </>
  );
}

const Act = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
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
