import type { Run, RunError as RunErrorFacts } from "#contract/entities.ts";
import { ConnectionLink } from "../../components/connections/connection-link.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import styles from "./run-page.module.css";
import { useUnknown } from "./unknown-facts.ts";

/** Codes whose cure is at the connection: its key, address or account. */
const curedAtConnection = ["provider_auth", "provider_quota", "provider_unreachable", "provider_protocol", "model_gone"];

/** Why a run failed, with the way to its connection where that is the cure. */
export function RunError({ run, error }: { run: Run; error: RunErrorFacts }) {
  const unknown = useUnknown(run);
  const isAtConnection = error.connectionId !== undefined && curedAtConnection.includes(error.code);
  const action = isAtConnection && (
    <ConnectionLink connectionId={error.connectionId ?? ""} projectId={run.projectId} className={buttonClass()} />
  );
  return (
    <div className={styles.error}>
      <ErrorState
        compact
        error={unknown.words ? { ...error, advice: t("run.unknown", { provider: unknown.provider }) } : error}
        safe={unknown.words}
        action={action}
      />
    </div>
  );
}
