import { Check, Copy } from "lucide-react";
import { useId, useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useCopyText } from "../../ui/overlays/use-copy-text.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import styles from "./connections.module.css";

/**
 * The redirect address that an app registered at a server has to use, ready to copy. Without a
 * clipboard (plain HTTP) its text is selected.
 */
export function RedirectAddress({ url }: { url: string }) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const copyText = useCopyText();
  const copy = async () => {
    field.current?.select();
    if (await copyText(url)) setCopied(true);
    else field.current?.focus();
  };
  return (
    <div className={styles.redirect}>
      <label htmlFor={id}>{t("connections.redirect")}</label>
      <div>
        <input
          ref={field}
          id={id}
          value={url}
          readOnly
          aria-describedby={`${id}-hint`}
          onFocus={(event) => event.target.select()}
          onBlur={() => setCopied(false)}
        />
        <Button icon={isCopied ? Check : Copy} onClick={() => void copy()}>
          {t(isCopied ? "ui.copied" : "connections.redirect.copy")}
        </Button>
      </div>
      <p id={`${id}-hint`}>{t("connections.redirect.hint")}</p>
      <VisuallyHidden live="polite">{isCopied ? t("ui.copied") : ""}</VisuallyHidden>
    </div>
  );
}
