import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import styles from "./dictation.module.css";
import type { MicrophoneTrouble } from "./recorder.ts";

/** What pressing again can mend. */
const mendable: ReadonlySet<MicrophoneTrouble> = new Set(["denied", "none", "busy", "broken"]);

/** Why the page can't listen, and what to do. */
export function MicrophoneTroubles({
  trouble,
  onRetry,
  onClose,
}: {
  trouble: MicrophoneTrouble;
  onRetry: () => void;
  onClose: () => void;
}) {
  return (
    <div role="alert" className={styles.trouble}>
      <p className={styles.title}>{t(`voice.microphone.${trouble}`)}</p>
      <p className={styles.text}>{t(`voice.microphone.${trouble}.advice`)}</p>
      <div className={styles.actions}>
        {mendable.has(trouble) && <Button onClick={onRetry}>{t("ui.tryAgain")}</Button>}
        <Button variant="ghost" onClick={onClose}>
          {t("ui.close")}
        </Button>
      </div>
    </div>
  );
}
