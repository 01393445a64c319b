import { TimerOff, Trash2 } from "lucide-react";
import type { Conversation } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Switch } from "../../../ui/controls/switch.tsx";
import styles from "./conversation-work.module.css";
import type { ConversationActions } from "./use-conversation-actions.ts";

type TemporaryLineProps = {
  /** Left out before the first message. */
  conversation: Conversation | undefined;
  isTemporary: boolean;
  onChange: (isTemporary: boolean) => void;
  actions: ConversationActions;
};

/** Above the composer: whether the next conversation is temporary, or that this one is. */
export function TemporaryLine({
  conversation,
  isTemporary,
  onChange,
  actions,
}: TemporaryLineProps) {
  if (!conversation)
    return (
      <div className={styles.temporary}>
        <Switch
          label={t("chat.temporary")}
          hint={isTemporary ? t("chat.temporary.hint") : undefined}
          checked={isTemporary}
          onCheckedChange={onChange}
        />
      </div>
    );
  return (
    <div className={styles.temporary}>
      <p className={styles.temporaryNote}>
        <TimerOff aria-hidden />
        {t("chat.temporary.note")}
      </p>
      <Button size="small" icon={Trash2} onClick={() => void actions.closeTemporary(conversation)}>
        {t("chat.temporary.close")}
      </Button>
    </div>
  );
}
