import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { useCopyText } from "../overlays/use-copy-text.ts";
import { IconButton } from "./icon-button.tsx";

const shownMs = 1_600;

/** A function, if only copying needs the work of creating the text. */
type Copied = string | (() => string);
type Copying = { isCopied: boolean; copy: () => void };

/** Copies a text, and reports for a moment that it was copied. */
export function useCopy(text: Copied): Copying {
  const [isCopied, setCopied] = useState(false);
  const copyText = useCopyText();
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void copyText(typeof text === "string" ? text : text()).then(setCopied);
  return { isCopied, copy };
}

/** The copy button of a text that another control copies too. */
export const CopyIcon = ({ isCopied, copy, label }: Copying & { label: string }) => (
  <IconButton
    size="small"
    icon={isCopied ? Check : Copy}
    label={isCopied ? t("ui.copied") : label}
    onClick={copy}
  />
);

/** Copies a text, and confirms it on the button. */
export const CopyButton = ({ text, label }: { text: Copied; label: string }) => (
  <CopyIcon {...useCopy(text)} label={label} />
);
