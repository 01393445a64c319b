import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { formatExact } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import styles from "./people.module.css";
import type { MadeLink } from "./people.queries.ts";

/** The one time a link is seen. Without a clipboard (plain http) it is selected, to be copied by hand. */
export function LinkDialog({ made, onClose }: { made: MadeLink | null; onClose: () => void }) {
  const [copied, setCopied] = useState<string | null>(null);
  const address = useRef<HTMLInputElement>(null);
  const isCopied = made !== null && copied === made.link;
  const copy = async () => {
    if (!made) return;
    address.current?.select();
    try {
      await navigator.clipboard.writeText(made.link);
      setCopied(made.link);
    } catch {
      address.current?.focus();
    }
  };
  const title = made ? t(made.invite.kind === "join" ? "people.link.join" : "people.link.password", { email: made.invite.email }) : "";
  return (
    <Dialog
      open={made !== null}
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={made && t("people.link.once", { when: formatExact(made.invite.expiresAt) })}
      footer={<Button onClick={onClose}>{t("people.link.done")}</Button>}
    >
      <div className={styles.link}>
        <input
          ref={address}
          className={styles.address}
          aria-label={t("people.link.label")}
          value={made?.link ?? ""}
          readOnly
          onFocus={(event) => event.target.select()}
        />
        <Button variant="primary" icon={isCopied ? Check : Copy} onClick={() => void copy()}>
          {t(isCopied ? "ui.copied" : "people.link.copy")}
        </Button>
      </div>
      <VisuallyHidden live="polite">{isCopied ? t("people.link.copied") : ""}</VisuallyHidden>
    </Dialog>
  );
}
