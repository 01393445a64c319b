import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";

const shownMs = 1_600;

/** Copies a text, and shows that on the button. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const toast = useToast();
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    // Missing over plain http from another machine, where browsers block copying.
    if (!navigator.clipboard) return toast({ text: t("chat.copy.refused"), kind: "error" });
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast({ text: t("chat.copy.refused"), kind: "error" }),
    );
  };
  return (
    <IconButton
      size="small"
      icon={isCopied ? Check : Copy}
      label={isCopied ? t("ui.copied") : label}
      onClick={copy}
    />
  );
}
