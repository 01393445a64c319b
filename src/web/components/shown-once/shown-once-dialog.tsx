import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useCopyText } from "../../ui/overlays/use-copy-text.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import styles from "./shown-once.module.css";

export type ShownOnceProps = {
  /** The secret to show once; null while there is none. */
  value: string | null;
  title: string;
  description: string | null;
  label: string;
  copy: string;
  copied: string;
  onClose: () => void;
};

/**
 * Shows a secret for the only time. Without a clipboard (plain HTTP) its text is selected, to be
 * copied by hand.
 */
export function ShownOnceDialog({
  value,
  title,
  description,
  label,
  copy,
  copied,
  onClose,
}: ShownOnceProps) {
  const [taken, setTaken] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const copyText = useCopyText();
  const isCopied = value !== null && taken === value;
  const take = async () => {
    if (value === null) return;
    field.current?.select();
    if (await copyText(value)) setTaken(value);
    else field.current?.focus();
  };
  return (
    <Dialog
      open={value !== null}
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={<Button onClick={onClose}>{t("ui.done")}</Button>}
    >
      <div className={styles.link}>
        <input
          ref={field}
          className={styles.address}
          aria-label={label}
          value={value ?? ""}
          readOnly
          onFocus={(event) => event.target.select()}
        />
        <Button variant="primary" icon={isCopied ? Check : Copy} onClick={() => void take()}>
          {isCopied ? t("ui.copied") : copy}
        </Button>
      </div>
      <VisuallyHidden live="polite">{isCopied ? copied : ""}</VisuallyHidden>
    </Dialog>
  );
}
