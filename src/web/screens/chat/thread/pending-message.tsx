import { CloudOff, Pencil, RotateCw } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import type { PendingMessage as Pending } from "../use-send-message.ts";
import { MessageFiles } from "./message-files.tsx";
import styles from "./thread.module.css";
import { Bubble } from "./user-message.tsx";

type PendingMessageProps = { pending: Pending; onSendNow: () => void; onWithdraw: () => void };

/**
 * A message that the server hasn't confirmed yet. Without a server it can be sent again or edited.
 */
export function PendingMessage({
  pending: { message, isUnsent },
  onSendNow,
  onWithdraw,
}: PendingMessageProps) {
  return (
    <div className={styles.message}>
      <div className={styles.mine}>
        <MessageFiles assetIds={message.attachments} />
        {message.text && <Bubble text={message.text} isPending />}
        <div role="status">
          {isUnsent && (
            <div className={styles.unsent}>
              <p>
                <CloudOff aria-hidden />
                {t("chat.unsent")}
              </p>
              <Button size="small" variant="ghost" icon={RotateCw} onClick={onSendNow}>
                {t("chat.unsent.now")}
              </Button>
              <Button size="small" variant="ghost" icon={Pencil} onClick={onWithdraw}>
                {t("chat.unsent.edit")}
              </Button>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}
