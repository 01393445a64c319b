import { Link } from "@tanstack/react-router";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import styles from "./dictation.module.css";

/** Nothing that was connected can do it. */
export function NoModel({
  task,
  onClose,
}: {
  task: "speech" | "transcription";
  onClose: () => void;
}) {
  return (
    <div role="alert" className={styles.trouble}>
      <p className={styles.title}>{t(`voice.none.${task}`)}</p>
      <p className={styles.text}>{t(`voice.none.${task}.advice`)}</p>
      <div className={styles.actions}>
        <Link to="/settings/$section" params={{ section: "connections" }} className={buttonClass()}>
          {t("voice.connect")}
        </Link>
        <Button variant="ghost" onClick={onClose}>
          {t("ui.close")}
        </Button>
      </div>
    </div>
  );
}
