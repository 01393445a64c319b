import type { RouteOutput } from "#contract/schemas/index.ts";
import { RunWarnings } from "../../../components/run/detail/recipe.tsx";
import { RunActions } from "../../../components/run/detail/run-actions.tsx";
import { RunError } from "../../../components/run/detail/run-error.tsx";
import { RunHead } from "../../../components/run/detail/run-head.tsx";
import { RunLog } from "../../../components/run/detail/run-log.tsx";
import { RunResults } from "../../../components/run/detail/run-outputs.tsx";
import { useRunTitle } from "../../../components/run/run-title.ts";
import { BackLink } from "../../../frame/back-link.tsx";
import { InspectorActions } from "../../../frame/inspector.tsx";
import { PageSection } from "../../../frame/page.tsx";
import { Screen } from "../../../frame/screen.tsx";
import { t } from "../../../messages/t.ts";
import { useWidth } from "../../../ui/use-width.ts";
import { RunAlias, RunFacts, RunInput, RunPlumbing, RunWebhook } from "./run-details.tsx";
import styles from "./run-page.module.css";

const tilePx = 200;

/** A loaded run's page. */
export function LoadedRun({ detail }: { detail: RouteOutput<"getRun"> }) {
  const { run } = detail;
  const title = useRunTitle(run);
  // A phone's header has no room for the actions.
  const isPhone = useWidth() === "phone";
  return (
    <Screen
      title={t("screen.activity")}
      heading={title}
      back={<BackLink to="/activity" label={t("run.back")} />}
      actions={!isPhone && <RunActions run={run} />}
    >
      <div className={styles.page}>
        <div className={styles.main}>
          <RunHead run={run} waitsFor={detail.waitsFor} />
          <RunAlias run={run} model={detail.model} passedOver={detail.passedOver} />
          {run.error && <RunError run={run} error={run.error} />}
          {isPhone && (
            <div className={styles.actions}>
              <InspectorActions>
                <RunActions run={run} />
              </InspectorActions>
            </div>
          )}
          <PageSection title={t("run.outputs")}>
            <RunResults detail={detail} tilePx={tilePx} />
          </PageSection>
          {run.warnings.length > 0 && (
            <PageSection title={t("run.warnings")}>
              <RunWarnings run={run} />
            </PageSection>
          )}
          <RunInput run={run} inputs={detail.inputs} />
          <PageSection title={t("run.log")}>
            <RunLog run={run} />
          </PageSection>
        </div>
        <aside className={styles.side} aria-label={t("run.facts")}>
          <RunFacts detail={detail} />
          <RunWebhook detail={detail} />
          <RunPlumbing detail={detail} />
        </aside>
      </div>
    </Screen>
  );
}
