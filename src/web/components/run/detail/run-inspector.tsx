import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { InspectorActions, InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { promptOfRun } from "../run-facts.ts";
import styles from "./detail.module.css";
import { Prompt, Recipe } from "./recipe.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunError } from "./run-error.tsx";
import { RunHead } from "./run-head.tsx";
import { RunInputs } from "./run-inputs.tsx";
import { RunLog } from "./run-log.tsx";
import { RunResults } from "./run-outputs.tsx";

const tilePx = 96;

/** A run in the inspector: its status, actions, results, recipe and log. */
export function RunInspector({ runId }: { runId: string }) {
  const query = useQuery(runQuery(runId));
  if (query.data) return <LoadedRun detail={query.data} />;
  if (query.error)
    return <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <InspectorSection isPlain>
      <SkeletonText lines={8} />
    </InspectorSection>
  );
}

function LoadedRun({ detail }: { detail: RouteOutput<"getRun"> }) {
  const { run, model, waitsFor, inputs } = detail;
  const prompt = promptOfRun(run);
  return (
    <>
      <InspectorSection isPlain>
        <RunHead run={run} waitsFor={waitsFor} />
        {run.error && <RunError run={run} error={run.error} />}
        <InspectorActions>
          <RunActions run={run} />
        </InspectorActions>
      </InspectorSection>
      <InspectorSection title={t("run.outputs")}>
        <RunResults detail={detail} tilePx={tilePx} />
      </InspectorSection>
      {prompt && (
        <InspectorSection>
          <Prompt text={prompt} />
        </InspectorSection>
      )}
      <Recipe run={run} modelName={model?.name} />
      {inputs.length > 0 && (
        <InspectorSection title={t("run.inputs")}>
          <RunInputs inputs={inputs} tilePx={tilePx} />
        </InspectorSection>
      )}
      <FoldedLog run={run} />
    </>
  );
}

/** Loads the log when it is opened. */
function FoldedLog({ run }: { run: Run }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <InspectorSection>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={styles.summary}>{t("run.log")}</summary>
        {isOpen && <RunLog run={run} />}
      </details>
    </InspectorSection>
  );
}
