import { useState } from "react";
import { formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import styles from "./dictation.module.css";
import { ModelChoice } from "./model-choice.tsx";
import {
  type DictationPlace,
  type PendingDictation,
  readPending,
  unsent,
  writePending,
} from "./pending-dictation.ts";
import { Record } from "./record.tsx";
import { toFile } from "./recorder.ts";
import { type SentRecording, sendRecording, startTranscription } from "./send-recording.ts";
import { Transcript } from "./transcript.tsx";
import { useVoiceModels } from "./voice-models.ts";
import { NoModel, VoiceProgress } from "./voice-notice.tsx";

export type DictationProps = {
  /** The draft that the recording is for. */
  place: DictationPlace;
  projectId: string;
  /** The text area that the transcript goes into. */
  field: () => HTMLTextAreaElement | null;
  onClose: () => void;
  onOpen: () => void;
};

/** Records speech, saves the recording, and puts its transcript into the draft. */
export function Dictation({ place, projectId, field, onClose, onOpen }: DictationProps) {
  const models = useVoiceModels(projectId, "transcription");
  const [pending, setPending] = useState<PendingDictation | null>(() => readPending(place));
  /** An unfinished recording: its transcript is shown before it is inserted. */
  const [wasLeft, setLeft] = useState(pending !== null);
  const [sending, setSending] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { chosen } = models;

  const settle = ({ pending: kept, error: failed }: SentRecording) => {
    setPending(kept);
    setError(failed);
  };
  const send = (file: File) => {
    if (!chosen) return;
    setError(null);
    setSending(0);
    sendRecording(place, projectId, chosen, file, setSending)
      .then(settle, setError)
      .finally(() => setSending(null));
  };
  const again = () => {
    if (!pending || !chosen) return;
    setError(null);
    setLeft(false);
    setPending({ ...pending, runId: null });
    setSending(1);
    void startTranscription(place, pending, chosen)
      .then(settle)
      .finally(() => setSending(null));
  };
  const close = () => {
    writePending(place, null);
    unsent.delete(place);
    onClose();
  };

  const left = unsent.get(place);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is sent together
    <div role="group" aria-label={t("chat.dictate")} className={styles.panel}>
      {sending !== null ? (
        <VoiceProgress label={t("voice.sending")} share={sending < 1 ? sending : null} />
      ) : pending ? (
        <Transcript
          {...{ projectId, pending, error, models, field, wasLeft }}
          onAgain={again}
          onClose={close}
        />
      ) : left ? (
        <ErrorState
          compact
          error={error ?? new TypeError("fetch")}
          safe={t("voice.unsent")}
          onRetry={() => send(left)}
          action={<Button onClick={close}>{t("voice.throwAway")}</Button>}
        />
      ) : models.isLoading ? (
        <p className={styles.line}>{t("ui.loading")}</p>
      ) : models.error ? (
        <ErrorState compact error={models.error} onRetry={models.retry} />
      ) : chosen ? (
        <Record
          choice={<ModelChoice projectId={projectId} models={models} />}
          priceOf={(seconds) => models.priceOf(chosen, { duration: seconds })}
          onRecorded={(blob) => (blob ? send(named(blob)) : close())}
          onCancel={close}
          onUndo={(blob) =>
            void sendRecording(place, projectId, chosen, named(blob), () => undefined)
              .catch(() => undefined)
              .finally(onOpen)
          }
        />
      ) : (
        <NoModel task="transcription" onClose={close} />
      )}
    </div>
  );
}

const named = (blob: Blob): File =>
  toFile(blob, t("voice.fileName", { when: formatExact(Date.now()) }));
