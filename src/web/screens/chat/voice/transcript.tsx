import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import type { Run } from "#contract/entities.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { keys } from "../../../data/keys.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { costOf, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useStopRun } from "../answer/use-stop-run.ts";
import styles from "./dictation.module.css";
import { ModelChoice } from "./model-choice.tsx";
import type { PendingDictation } from "./pending-dictation.ts";
import { readTranscript } from "./transcribe.ts";
import type { VoiceModels } from "./voice-models.ts";
import { VoiceNotice, VoiceProgress } from "./voice-notice.tsx";

/** The live feed reports changes immediately; polling covers a lost connection. */
const pollMs = 3_000;
const isOver = (run: Run | undefined): boolean =>
  run !== undefined && (isFinal(run.state) || run.state === "unconfirmed");

type TranscriptProps = {
  projectId: string;
  pending: PendingDictation;
  /** The reason that the transcription couldn't start. */
  error: unknown;
  models: VoiceModels;
  field: () => HTMLTextAreaElement | null;
  wasLeft: boolean;
  onAgain: () => void;
  /** Discards the recording. */
  onClose: () => void;
};

/**
 * Waits for a saved recording's transcript and inserts it at the caret. An earlier recording's
 * transcript is shown first.
 */
export function Transcript({
  projectId,
  pending,
  error,
  models,
  field,
  wasLeft,
  onAgain,
  onClose,
}: TranscriptProps) {
  const toast = useToast();
  const stop = useStopRun(pending.runId);
  const isDone = useRef(false);
  const asked = useQuery({
    ...runQuery(pending.runId),
    refetchInterval: ({ state }) => !isOver(state.data?.run) && pollMs,
  });
  const run = asked.data?.run;
  const words = useQuery({
    queryKey: keys.dictation(pending.runId),
    queryFn: () => readTranscript(pending.runId ?? ""),
    enabled: run?.state === "succeeded",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const insert = (text: string) => {
    const place = field();
    if (!place || isDone.current) return;
    isDone.current = true;
    insertText(place, text);
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

  const ways = (
    <>
      <ModelChoice projectId={projectId} models={models} />
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
      <ErrorState compact error={failure} safe={t("voice.kept")} onRetry={onAgain} action={ways} />
    );
  if (run?.state === "cancelled" || text === "" || (pending.runId === null && !run))
    return (
      <VoiceNotice
        title={t(text === "" ? "voice.noWords" : "voice.notWritten")}
        text={t("voice.kept")}
      >
        <Button onClick={onAgain}>{t("ui.tryAgain")}</Button>
        {ways}
      </VoiceNotice>
    );
  if (run?.state === "unconfirmed" || run?.waitingFor)
    return (
      <VoiceNotice
        title={t(run.waitingFor ? "voice.waits" : "voice.unconfirmed")}
        text={t("voice.kept")}
        onClose={onClose}
      >
        <Link to="/activity/$runId" params={{ runId: run.id }} className={buttonClass()}>
          {t("voice.openRun")}
        </Link>
      </VoiceNotice>
    );
  if (text === undefined)
    return (
      <VoiceProgress label={t("voice.writing")} share={null}>
        {pending.runId && (
          <Button variant="ghost" onClick={stop}>
            {t("ui.cancel")}
          </Button>
        )}
      </VoiceProgress>
    );
  if (!wasLeft) return null;
  return (
    <div className={styles.notice}>
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

/**
 * Inserts text at the caret or over the selection, with spaces around it, so that the browser can
 * undo it like typing. Runs in a later task, because within React's update the controlled value
 * would be set as a whole and the browser would lose its undo history.
 */
function insertText(field: HTMLTextAreaElement, words: string): void {
  window.setTimeout(() => {
    const { value, selectionStart, selectionEnd } = field;
    const before = value.slice(0, selectionStart);
    const after = value.slice(selectionEnd);
    const text = `${/\S$/.test(before) ? " " : ""}${words}${/^[^\s.,;:!?)]/.test(after) ? " " : ""}`;
    field.focus();
    // Deprecated but supported everywhere, and the only way that keeps the browser's undo. React is
    // notified as by typing.
    if (document.execCommand("insertText", false, text)) return;
    field.setRangeText(text, selectionStart, selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
