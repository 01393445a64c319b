import { Search } from "lucide-react";
import type { Run, RunError as RunErrorFacts } from "#contract/entities.ts";
import { ConnectionLink } from "../../components/connections/connection-link.tsx";
import { t } from "../../messages/t.ts";
import { useSession } from "../../shell/shell-data.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useLookAgain } from "./activity.queries.ts";
import styles from "./run-page.module.css";
import { useUnknown } from "./unknown-facts.ts";

/** Codes whose cure is at the connection: its key, address or account. */
const curedAtConnection = ["provider_auth", "provider_quota", "provider_unreachable", "provider_protocol", "model_gone"];

/** Why a run failed, with the way to its connection where that is the cure. */
export function RunError({ run, error }: { run: Run; error: RunErrorFacts }) {
  const unknown = useUnknown(run, run.state === "unknown" || run.state === "failed");
  const words = run.state === "unknown" ? unknown.words : null;
  const isAtConnection = error.connectionId !== undefined && curedAtConnection.includes(error.code);
  const action = isAtConnection && (
    <ConnectionLink connectionId={error.connectionId ?? ""} projectId={run.projectId} className={buttonClass()} />
  );
  return (
    <div className={styles.error}>
      <ErrorState
        compact
        error={words ? { ...error, advice: t("run.unknown", { provider: unknown.provider }) } : error}
        safe={words}
        action={action}
      />
      {run.state === "failed" && unknown.canLook && <LookAgain run={run} />}
    </div>
  );
}

/** A failed run whose provider may have made it after all: one more question to it. */
function LookAgain({ run }: { run: Run }) {
  const { project } = useSession();
  const looking = useLookAgain();
  if (project.role === "viewer") return null;
  const answer = looking.data && t(looking.data.found ? "run.look.found" : "run.look.none");
  return (
    <div className={styles.look}>
      <p>{t("run.look.failed")}</p>
      <Button icon={Search} busy={looking.isPending} onClick={() => looking.mutate(run.id)}>
        {t("run.resolve.look.confirm")}
      </Button>
      <div role="status">{answer}</div>
      {looking.error && <ErrorState compact error={looking.error} />}
    </div>
  );
}
