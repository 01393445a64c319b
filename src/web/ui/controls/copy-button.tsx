import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../../messages/t.ts";
import { useToast } from "../overlays/toast.tsx";
import { IconButton } from "./icon-button.tsx";

const shownMs = 1_600;

/** A function where making the text is work that only a copy needs. */
type Copied = string | (() => string);
type Copying = { isCopied: boolean; copy: () => void };

/** Copies a text, and knows for a moment that it did. */
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
    // Missing over plain http from another machine, where browsers block copying.
    if (!navigator.clipboard) return refuse();
    navigator.clipboard
      .writeText(typeof text === "string" ? text : text())
      .then(() => setCopied(true), refuse);
  };
  return { isCopied, copy };
}

/** The button of a text that something else copies too. */
export const CopyIcon = ({ isCopied, copy, label }: Copying & { label: string }) => (
  <IconButton
    size="small"
    icon={isCopied ? Check : Copy}
    label={isCopied ? t("ui.copied") : label}
    onClick={copy}
  />
);

/** Copies a text, and shows that on the button. */
export const CopyButton = ({ text, label }: { text: Copied; label: string }) => (
  <CopyIcon {...useCopy(text)} label={label} />
);
