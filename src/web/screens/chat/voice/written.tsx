import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import type { Run } from "#contract/entities.ts";
import { keys } from "../../../data/keys.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { costOf, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useStopRun } from "../answer/use-stop.ts";
import styles from "./dictation.module.css";
import { ModelChoice } from "./model-choice.tsx";
import type { PendingDictation } from "./pending-dictation.ts";
import type { VoiceModels } from "./voice-models.ts";
import { readWords } from "./write-down.ts";

/** The feed tells at once; this is for a page whose line was down. */
const lookAgainMs = 3_000;
const isOver = (run: Run | undefined): boolean =>
  run !== undefined && ["succeeded", "failed", "cancelled", "unconfirmed"].includes(run.state);

type WrittenProps = {
  pending: PendingDictation;
  /** Why no model could be asked. */
  error: unknown;
  models: VoiceModels;
  field: () => HTMLTextAreaElement | null;
  wasLeft: boolean;
  onAgain: () => void;
  /** Done with it: nothing of it is looked for any more. */
  onClose: () => void;
};

/** The recording is kept: its words come, and go where the caret is. What was left in the middle is shown first. */
export function Written({
  pending,
  error,
  models,
  field,
  wasLeft,
  onAgain,
  onClose,
}: WrittenProps) {
  const toast = useToast();
  const isDone = useRef(false);
  const asked = useQuery({
    ...runQuery(pending.runId),
    refetchInterval: ({ state }) => !isOver(state.data?.run) && lookAgainMs,
  });
  const run = asked.data?.run;
  const words = useQuery({
    queryKey: keys.dictation(pending.runId),
    queryFn: () => readWords(pending.runId ?? ""),
    enabled: run?.state === "succeeded",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const insert = (text: string) => {
    const place = field();
    if (!place || isDone.current) return;
    isDone.current = true;
    insertWords(place, text);
    const cost = run && costOf(run);
    toast({
      text: t("voice.inserted"),
      detail: cost && cost.kind !== "free" ? formatPrice(cost) : undefined,
    });
    onClose();
  };
  const insertAtOnce = useEffectEvent((text: string) => wasLeft || insert(text));
  const { data: text } = words;
  useEffect(() => {
    if (text) insertAtOnce(text);
  }, [text]);

  const retry = (
    <>
      <ModelChoice models={models} label={t("voice.writesDown")} />
      <Link to="/library/$assetId" params={{ assetId: pending.assetId }} className={buttonClass()}>
        {t("voice.listen")}
      </Link>
      <Button onClick={onClose}>{t("ui.close")}</Button>
    </>
  );
  const failure =
    error ?? asked.error ?? words.error ?? (run?.state === "failed" ? run.error : null);
  if (failure)
    return (
      <ErrorState compact error={failure} safe={t("voice.kept")} onRetry={onAgain} action={retry} />
    );
  if (run?.state === "cancelled" || text === "" || (pending.runId === null && !run))
    return (
      <Nothing
        said={t(text === "" ? "voice.noWords" : "voice.notWritten")}
        onAgain={onAgain}
        more={retry}
      />
    );
  if (run?.state === "unconfirmed" || run?.waitingFor)
    return <Elsewhere run={run} onClose={onClose} />;
  if (text === undefined) return <Coming runId={pending.runId} />;
  if (!wasLeft) return null;
  return (
    <div className={styles.trouble}>
      <p className={styles.title}>{t("voice.found")}</p>
      <p className={styles.words}>{text}</p>
      <div className={styles.actions}>
        <Button variant="primary" onClick={() => insert(text)}>
          {t("voice.insert")}
        </Button>
        <Button onClick={onClose}>{t("voice.notNow")}</Button>
      </div>
    </div>
  );
}

function Coming({ runId }: { runId: string | null }) {
  const stop = useStopRun(runId);
  return (
    <div className={styles.line} role="status">
      <span>{t("voice.writing")}</span>
      <div className={styles.bar}>
        <ProgressBar label={t("voice.writing")} value={null} tone="busy" />
      </div>
      {runId && (
        <Button variant="ghost" onClick={stop}>
          {t("ui.cancel")}
        </Button>
      )}
    </div>
  );
}

function Nothing({
  said,
  onAgain,
  more,
}: {
  said: string;
  onAgain: () => void;
  more: React.ReactNode;
}) {
  return (
    <div role="alert" className={styles.trouble}>
      <p className={styles.title}>{said}</p>
      <p className={styles.text}>{t("voice.kept")}</p>
      <div className={styles.actions}>
        <Button onClick={onAgain}>{t("ui.tryAgain")}</Button>
        {more}
      </div>
    </div>
  );
}

/** It waits for a person's word, or nobody knows what became of it: that is settled at the run. */
function Elsewhere({ run, onClose }: { run: Run; onClose: () => void }) {
  return (
    <div role="alert" className={styles.trouble}>
      <p className={styles.title}>{t(run.waitingFor ? "voice.waits" : "voice.unconfirmed")}</p>
      <p className={styles.text}>{t("voice.kept")}</p>
      <div className={styles.actions}>
        <Link to="/activity/$runId" params={{ runId: run.id }} className={buttonClass()}>
          {t("voice.openRun")}
        </Link>
        <Button variant="ghost" onClick={onClose}>
          {t("ui.close")}
        </Button>
      </div>
    </div>
  );
}

/**
 * Puts words where the caret is, or in place of what is selected, apart from what stands there by a blank. Undone like typing.
 * It happens a moment later: within React's own work its answer to the change would set the whole value, and the browser would forget
 * what can be undone.
 */
function insertWords(field: HTMLTextAreaElement, words: string): void {
  window.setTimeout(() => {
    const { value, selectionStart, selectionEnd } = field;
    const before = value.slice(0, selectionStart);
    const after = value.slice(selectionEnd);
    const text = `${/\S$/.test(before) ? " " : ""}${words}${/^[^\s.,;:!?)]/.test(after) ? " " : ""}`;
    field.focus();
    // Deprecated and everywhere: the one way that leaves the browser's own undo whole. It tells React, as typing does.
    if (document.execCommand("insertText", false, text)) return;
    field.setRangeText(text, selectionStart, selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
