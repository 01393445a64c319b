import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import styles from "./dictation.module.css";

/** A problem, its fix, and the buttons for it. */
export function VoiceNotice({
  title,
  text,
  onClose,
  children,
}: {
  title: string;
  text: string;
  onClose?: () => void;
  children?: ReactNode;
}) {
  return (
    <div role="alert" className={styles.notice}>
      <p className={styles.title}>{title}</p>
      <p className={styles.text}>{text}</p>
      <div className={styles.actions}>
        {children}
        {onClose && (
          <Button variant="ghost" onClick={onClose}>
            {t("ui.close")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** No connected model does this task. */
export function NoModel({
  task,
  onClose,
}: {
  task: "speech" | "transcription";
  onClose: () => void;
}) {
  return (
    <VoiceNotice
      title={t(`voice.none.${task}`)}
      text={t(`voice.none.${task}.advice`)}
      onClose={onClose}
    >
      <Link to="/settings/$section" params={{ section: "connections" }} className={buttonClass()}>
        {t("voice.connect")}
      </Link>
    </VoiceNotice>
  );
}

/** A dictation step; `share` is null if its progress isn't known. */
export function VoiceProgress({
  label,
  share,
  children,
}: {
  label: string;
  share: number | null;
  children?: ReactNode;
}) {
  return (
    <div className={styles.line} role="status">
      <span>{label}</span>
      <div className={styles.bar}>
        <ProgressBar label={label} value={share} tone="busy" />
      </div>
      {children}
    </div>
  );
}
