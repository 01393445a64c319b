import { X } from "lucide-react";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { sayHeld } from "../../ui/describe-error.ts";
import { ProgressBar } from "../../ui/display/progress.tsx";
import styles from "./sending-file.module.css";

type Sending = { name: string; share: number; held?: string; stop: () => void };

/** The file on its way to the server, one at a time, and what `uploadFile` tells of it. */
export function useSending() {
  const [sending, setSending] = useState<Sending | null>(null);
  const begin = ({ name }: File) => {
    const aborter = new AbortController();
    const tell = (facts: Partial<Sending>) =>
      setSending((before) => before && { ...before, ...facts });
    setSending({ name, share: 0, stop: () => aborter.abort() });
    return {
      signal: aborter.signal,
      onProgress: (share: number) => tell({ share }),
      onHeld: (reason: unknown) => tell({ held: sayHeld(reason) }),
    };
  };
  return { sending, begin, end: () => setSending(null) };
}

export function SendingFile({ name, share, held, stop }: Sending) {
  return (
    <div className={styles.sending}>
      <span className={styles.words}>
        <span className={styles.name}>{t("create.file.sending", { name })}</span>
        {held && <span role="status">{held}</span>}
        <ProgressBar value={share} tone="busy" label={t("create.file.sending", { name })} />
      </span>
      <IconButton size="small" icon={X} label={t("create.file.stop", { name })} onClick={stop} />
    </div>
  );
}
