import { Search } from "lucide-react";
import { useState } from "react";
import type { Run, RunError as RunErrorFacts } from "#contract/entities.ts";
import { isFixedAtConnection } from "#contract/errors.ts";
import { useRecheckRun } from "../../../data/queries/activity.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { ConnectionLink } from "../../connections/connection-link.tsx";
import { chargeText } from "../charge-text.ts";
import { ResolvePopup } from "../resolve/resolve-button.tsx";
import { useUnconfirmed } from "../resolve/unconfirmed-facts.ts";
import { isEnded } from "../run-facts.ts";
import styles from "./detail.module.css";

/** The reason that a run failed, with a link to its connection if the fix is there. */
export function RunError({ run, error }: { run: Run; error: RunErrorFacts }) {
  const unconfirmed = useUnconfirmed(run, run.state === "unconfirmed" || run.state === "failed");
  const words = run.state === "unconfirmed" ? unconfirmed.words : null;
  const isAtConnection = error.connectionId !== undefined && isFixedAtConnection(error.code);
  const action = isAtConnection && (
    <ConnectionLink
      connectionId={error.connectionId ?? ""}
      projectId={run.projectId}
      className={buttonClass()}
    />
  );
  return (
    <div className={styles.error}>
      <ErrorState
        compact
        isOpen={run.state === "unconfirmed"}
        error={
          words
            ? { ...error, advice: t("run.unconfirmed.advice", { provider: unconfirmed.provider }) }
            : error
        }
        safe={words ?? (isEnded(run) && chargeText(run))}
        action={action}
      />
      {run.state === "failed" && (unconfirmed.canLook || unconfirmed.canAttach) && (
        <LookAgain run={run} {...unconfirmed} />
      )}
    </div>
  );
}

type LookAgainProps = { run: Run; canLook: boolean; canAttach: boolean; provider: string };

/**
 * For a failed run that the provider may have made after all: a button to check again, and a field
 * for a request ID that a person found there.
 */
function LookAgain({ run, canLook, canAttach, provider }: LookAgainProps) {
  const { project } = useSession();
  const [isNaming, setNaming] = useState(false);
  const looking = useRecheckRun();
  if (project.role === "viewer") return null;
  const answer = looking.data && t(looking.data.found ? "run.look.found" : "run.look.none");
  return (
    <div className={styles.look}>
      <p>{canLook ? t("run.look.failed") : t("run.look.refused", { provider })}</p>
      {canLook && (
        <Button icon={Search} busy={looking.isPending} onClick={() => looking.mutate(run.id)}>
          {t("run.resolve.look.confirm")}
        </Button>
      )}
      {canAttach && <Button onClick={() => setNaming(true)}>{t("run.look.attach")}</Button>}
      <ResolvePopup runs={[run]} open={isNaming} onOpenChange={setNaming} />
      <div role="status">{answer}</div>
      {looking.error && <ErrorState compact error={looking.error} />}
    </div>
  );
}
