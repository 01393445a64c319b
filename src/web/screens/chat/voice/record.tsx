import { Check, X } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { holdPage } from "../../../data/page/hold-page.ts";
import {
  type DeviceTrouble,
  isRetryable,
  toDeviceTrouble,
} from "../../../data/page/media-device.ts";
import { useKeysOf } from "../../../frame/commands.tsx";
import { formatClip, formatPrice, type Price } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./dictation.module.css";
import { type Recording, startRecording } from "./recorder.ts";
import { VoiceNotice } from "./voice-notice.tsx";

/** Cancelling a recording longer than this can be undone. */
const undoFromMs = 3_000;
const tickMs = 250;

type RecordProps = {
  /** The picker of the transcription model. */
  choice: ReactNode;
  priceOf: (seconds: number) => Price;
  /** Called when the recording has ended, also after unmounting; null if nothing was recorded. */
  onRecorded: (blob: Blob | null) => void;
  onCancel: () => void;
  /** Called when the person undoes the cancellation. */
  onUndo: (blob: Blob) => void;
};

/** Records from the microphone and shows the time, the level and the price. */
export function Record({ choice, priceOf, onRecorded, onCancel, onUndo }: RecordProps) {
  const toast = useToast();
  const [recording, setRecording] = useState<Recording | null>(null);
  const [trouble, setTrouble] = useState<DeviceTrouble | null>(null);
  const [tries, setTries] = useState(0);
  const isCancelled = useRef(false);

  const onEnded = useEffectEvent((blob: Blob | null, seconds: number) => {
    if (!isCancelled.current) return onRecorded(blob);
    onCancel();
    if (blob && seconds * 1_000 >= undoFromMs)
      toast({
        text: t("voice.cancelled"),
        action: { label: t("voice.takeBack"), onAction: () => onUndo(blob) },
      });
  });
  useEffect(() => {
    let isHere = true;
    let begun: Recording | null = null;
    setTrouble(null);
    startRecording().then(
      (started) => {
        begun = started;
        // Closed while the browser asked for permission.
        if (!isHere) return started.stop();
        setRecording(started);
        void started.ended.then((blob) =>
          onEnded(blob, (performance.now() - started.startedAt) / 1_000),
        );
      },
      (error: unknown) => isHere && setTrouble(toDeviceTrouble(error)),
    );
    return () => {
      isHere = false;
      begun?.stop();
    };
  }, [tries]);
  const isRecording = recording !== null;
  useKeysOf("dictation", isRecording);
  useEffect(() => (isRecording ? holdPage() : undefined), [isRecording]);

  const cancel = () => {
    isCancelled.current = true;
    if (recording) recording.stop();
    else onCancel();
  };
  if (trouble)
    return (
      <VoiceNotice
        title={t(`voice.microphone.${trouble}`)}
        text={t(`voice.microphone.${trouble}.advice`)}
        onClose={onCancel}
      >
        {isRetryable(trouble) && (
          <Button onClick={() => setTries(tries + 1)}>{t("ui.tryAgain")}</Button>
        )}
      </VoiceNotice>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape anywhere in it is the Cancel button
    <div
      className={styles.record}
      onKeyDown={(event) => {
        // In the picker's popup, which is elsewhere in the page, it only closes that.
        const isInside = event.currentTarget.contains(event.target as Node);
        if (event.key !== "Escape" || !isInside) return;
        event.preventDefault();
        event.stopPropagation();
        cancel();
      }}
    >
      <p className={styles.state} role="status">
        {recording ? t("voice.recording") : t("voice.asking")}
      </p>
      {recording && <Meter recording={recording} priceOf={priceOf} />}
      {choice}
      <span className={styles.ends}>
        <Button variant="ghost" icon={X} onClick={cancel}>
          {t("ui.cancel")}
        </Button>
        {recording && (
          <Button variant="primary" icon={Check} autoFocus onClick={recording.stop}>
            {t("voice.stop")}
          </Button>
        )}
      </span>
    </div>
  );
}

function Meter({
  recording,
  priceOf,
}: {
  recording: Recording;
  priceOf: (seconds: number) => Price;
}) {
  const level = useRef<HTMLSpanElement>(null);
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setMs(performance.now() - recording.startedAt), tickMs);
    let frame = 0;
    const draw = () => {
      // Outside React: one style, sixty times a second.
      if (level.current) level.current.style.transform = `scaleX(${recording.level()})`;
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      window.clearInterval(timer);
      cancelAnimationFrame(frame);
    };
  }, [recording]);
  return (
    <>
      <span className={styles.time}>{formatClip(Math.floor(ms / 1_000) * 1_000)}</span>
      <span className={styles.meter} aria-hidden>
        <span ref={level} className={styles.level} />
      </span>
      <span className={styles.price}>{formatPrice(priceOf(Math.max(1, ms / 1_000)))}</span>
    </>
  );
}
