import { Download } from "lucide-react";
import { useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import type { exportFormats } from "#contract/export/formats.ts";
import { routePath } from "../../../data/client.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./export.module.css";

type Format = (typeof exportFormats)[number];
const formats: readonly Format[] = ["page", "md", "json"];

export type ExportDialogProps = {
  conversation: Conversation;
  /** The end of the branch on screen; defaults to the conversation's head. */
  messageId?: string | undefined;
  onClose: () => void;
};

export function ExportDialog({ conversation, messageId, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<Format>("page");
  const [hasCosts, setCosts] = useState(false);
  const href = routePath("exportConversation", {
    params: { conversationId: conversation.id },
    query: {
      format,
      costs: hasCosts ? "true" : "false",
      ...(messageId && format !== "json" && { messageId }),
    },
  });
  const footer = (
    <a href={href} download className={buttonClass({ variant: "primary" })} onClick={onClose}>
      <Download aria-hidden size={16} />
      {t("exports.download")}
    </a>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("exports.title")}
      footer={footer}
    >
      <div className={styles.form}>
        <Segmented
          label={t("exports.format")}
          value={format}
          onValueChange={setFormat}
          options={formats.map((value) => ({ value, label: t(`exports.format.${value}`) }))}
        />
        <p className={styles.about}>{t(`exports.about.${format}`)}</p>
        <Checkbox label={t("exports.costs")} checked={hasCosts} onCheckedChange={setCosts} />
      </div>
    </Dialog>
  );
}
