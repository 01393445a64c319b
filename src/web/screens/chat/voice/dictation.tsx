import { useState } from "react";
import { formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import styles from "./dictation.module.css";
import { ModelChoice } from "./model-choice.tsx";
import { NoModel } from "./no-model.tsx";
import {
  type DictationPlace,
  type PendingDictation,
  readPending,
  unsent,
  writePending,
} from "./pending-dictation.ts";
import { Record } from "./record.tsx";
import { toFile } from "./recorder.ts";
import { askAgain, type Sent, sendRecording } from "./send-recording.ts";
import { useVoiceModels } from "./voice-models.ts";
import { Written } from "./written.tsx";

export type DictationProps = {
  /** The draft it is for, by which it is found again. */
  place: DictationPlace;
  projectId: string;
  /** Where the words go. */
  field: () => HTMLTextAreaElement | null;
  onClose: () => void;
  onOpen: () => void;
};

/** What is said becomes words in the draft: recorded, kept, and written down by a model. */
export function Dictation({ place, projectId, field, onClose, onOpen }: DictationProps) {
  const models = useVoiceModels(projectId, "transcription");
  const [pending, setPending] = useState<PendingDictation | null>(() => readPending(place));
  /** It was begun before this was opened: its words are shown before they go anywhere. */
  const [wasLeft, setLeft] = useState(pending !== null);
  const [sending, setSending] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { chosen } = models;

  const settle = ({ pending: kept, error: failed }: Sent) => {
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
    void askAgain(place, pending, chosen)
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
        <Sending share={sending} />
      ) : pending ? (
        <Written {...{ pending, error, models, field, wasLeft }} onAgain={again} onClose={close} />
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
          choice={<ModelChoice models={models} label={t("voice.writesDown")} />}
          priceOf={(seconds) => models.priceOf(chosen, { duration: seconds })}
          onRecorded={(blob) => (blob ? send(named(blob)) : close())}
          onCancel={close}
          onTakenBack={(blob) =>
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

function Sending({ share }: { share: number }) {
  return (
    <div className={styles.line} role="status">
      <span>{t("voice.sending")}</span>
      <div className={styles.bar}>
        <ProgressBar label={t("voice.sending")} value={share < 1 ? share : null} tone="busy" />
      </div>
    </div>
  );
}
