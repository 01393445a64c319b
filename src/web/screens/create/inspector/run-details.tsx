import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Repeat2, SlidersHorizontal, X } from "lucide-react";
import { useState } from "react";
import type { RunEventPayloads } from "#contract/events.ts";
import { runStateText } from "#contract/run-states.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { NextTry } from "../../../components/run/next-try.tsx";
import { call } from "../../../data/client.ts";
import { InspectorActions, InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { ProviderQuote } from "../../../ui/display/error-state.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { chargeWords } from "../feed/ended-tile.tsx";
import type { FeedActions } from "../feed/feed-actions.ts";
import styles from "./inspector.module.css";
import { RecipeSection } from "./recipe.tsx";
import { RunLog } from "./run-log.tsx";

/** One run that brought no file yet, or none at all. */
export function RunDetails({
  run,
  waitsFor,
  model,
  actions,
}: RouteOutput<"getRun"> & { actions: FeedActions }) {
  const [isResolving, setResolving] = useState(false);
  const isOpen = !isFinal(run.state) && run.state !== "unconfirmed";
  const error = run.error && describeError(run.error);
  return (
    <>
      <InspectorSection isPlain>
        <p className={styles.state}>{runStateText(run.state, model?.connectionName)}</p>
        {waitsFor && (
          <p className={styles.text}>
            {waitsFor.reason} <NextTry waitsFor={waitsFor} />
          </p>
        )}
        {run.state === "unconfirmed" && (
          <p className={styles.text}>
            {t("create.tile.unconfirmed.text", {
              provider: model?.connectionName ?? t("ui.provider"),
            })}
          </p>
        )}
        {error && (
          <>
            <p className={styles.text}>
              {run.state === "unconfirmed"
                ? null
                : `${error.title} ${error.advice} ${chargeWords(run)}`}
            </p>
            {error.quote && <ProviderQuote text={error.quote} />}
          </>
        )}
        {actions.mayEdit && (
          <InspectorActions>
            {isOpen && run.cancelRequestedAt === null && (
              <Button icon={X} onClick={() => actions.cancel([run])}>
                {t("create.cancel")}
              </Button>
            )}
            {run.state === "unconfirmed" && (
              <>
                <Button onClick={() => setResolving(true)}>{t("create.resolve")}</Button>
                <Button icon={Repeat2} onClick={() => actions.again(run, "same")}>
                  {t("create.again")}
                </Button>
              </>
            )}
            {isFinal(run.state) && (
              <Button
                icon={Repeat2}
                onClick={() =>
                  run.state === "failed" ? actions.tryAgain(run) : actions.again(run, "same")
                }
              >
                {t(run.state === "failed" ? "ui.tryAgain" : "create.again")}
              </Button>
            )}
            <Button icon={SlidersHorizontal} onClick={() => actions.change(run)}>
              {t("create.change")}
            </Button>
            <Link to="/activity/$runId" params={{ runId: run.id }} className={buttonClass()}>
              {t("create.openRun")}
            </Link>
          </InspectorActions>
        )}
      </InspectorSection>
      <RecipeSection run={run} modelName={model?.name ?? run.imported?.modelName ?? run.modelId} />
      <LogSection runId={run.id} lastSeq={run.lastSeq} />
      <ConfirmDialog
        open={isResolving}
        onOpenChange={setResolving}
        title={t("create.resolve.title")}
        confirmLabel={t("create.resolve.confirm")}
        onConfirm={() => {
          actions.resolve(run, "not-made");
          setResolving(false);
        }}
      >
        <p>{t("create.resolve.text")}</p>
      </ConfirmDialog>
    </>
  );
}

function LogSection({ runId, lastSeq }: { runId: string; lastSeq: number }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ["run", runId, "log", lastSeq],
    queryFn: async ({ signal }) =>
      (await call("listRunEvents", { params: { runId }, query: {}, signal })).events,
    enabled: isOpen,
  });
  const lines = (data ?? []).flatMap((event) =>
    event.type === "log" ? (event.payload as RunEventPayloads["log"]).lines : [],
  );
  return (
    <InspectorSection>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={styles.summary}>{t("create.log")}</summary>
        {isOpen && data && <RunLog lines={lines} />}
      </details>
    </InspectorSection>
  );
}
