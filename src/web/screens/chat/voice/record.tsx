import { Check, X } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { formatClip, formatPrice, type Price } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./dictation.module.css";
import { MicrophoneTroubles } from "./microphone-trouble.tsx";
import {
  MicrophoneProblem,
  type MicrophoneTrouble,
  type Recording,
  startRecording,
} from "./recorder.ts";

/** A slip of the finger on what is longer than this can be taken back. */
const keptFromMs = 3_000;
const tickMs = 250;

type RecordProps = {
  /** Which model writes it down. */
  choice: ReactNode;
  priceOf: (seconds: number) => Price;
  /** Told once it has ended, also when nobody looks any more; null: nothing was recorded. */
  onRecorded: (blob: Blob | null) => void;
  onCancel: () => void;
  /** It was cancelled, and then wanted all the same. */
  onTakenBack: (blob: Blob) => void;
};

/** The microphone is open: for how long, how loud, and how to stop. */
export function Record({ choice, priceOf, onRecorded, onCancel, onTakenBack }: RecordProps) {
  const toast = useToast();
  const [recording, setRecording] = useState<Recording | null>(null);
  const [trouble, setTrouble] = useState<MicrophoneTrouble | null>(null);
  const [tries, setTries] = useState(0);
  const isCancelled = useRef(false);

  const tellEnded = useEffectEvent((blob: Blob | null, seconds: number) => {
    if (!isCancelled.current) return onRecorded(blob);
    onCancel();
    if (blob && seconds * 1_000 >= keptFromMs)
      toast({
        text: t("voice.cancelled"),
        action: { label: t("voice.takeBack"), onAction: () => onTakenBack(blob) },
      });
  });
  useEffect(() => {
    let isHere = true;
    let begun: Recording | null = null;
    setTrouble(null);
    startRecording().then(
      (started) => {
        begun = started;
        // The person has left while the browser asked.
        if (!isHere) return started.stop();
        setRecording(started);
        void started.ended.then((blob) =>
          tellEnded(blob, (performance.now() - started.startedAt) / 1_000),
        );
      },
      (error: unknown) =>
        isHere && setTrouble(error instanceof MicrophoneProblem ? error.trouble : "broken"),
    );
    return () => {
      isHere = false;
      begun?.stop();
    };
  }, [tries]);
  useWarning(recording !== null);

  const cancel = () => {
    isCancelled.current = true;
    if (recording) recording.stop();
    else onCancel();
  };
  if (trouble)
    return (
      <MicrophoneTroubles
        trouble={trouble}
        onRetry={() => setTries(tries + 1)}
        onClose={onCancel}
      />
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape anywhere in it is the Cancel button
    <div
      className={styles.record}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
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
      // Past React: sixty times a second, of one style.
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

/** Closing the page in the middle would lose what was said: the browser asks. */
function useWarning(isRecording: boolean): void {
  useEffect(() => {
    if (!isRecording) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isRecording]);
}
