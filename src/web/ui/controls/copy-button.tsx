import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { useToast } from "../overlays/toast.tsx";
import { IconButton } from "./icon-button.tsx";

const shownMs = 1_600;

/** A function, if only copying needs the work of creating the text. */
type Copied = string | (() => string);
type Copying = { isCopied: boolean; copy: () => void };

/** Copies a text, and reports for a moment that it was copied. */
export function useCopy(text: Copied): Copying {
  const [isCopied, setCopied] = useState(false);
  const toast = useToast();
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    const refuse = () => toast({ text: t("ui.copyRefused"), kind: "error" });
    // Missing on plain HTTP from another machine, where browsers block copying.
    if (!navigator.clipboard) return refuse();
    navigator.clipboard
      .writeText(typeof text === "string" ? text : text())
      .then(() => setCopied(true), refuse);
  };
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
