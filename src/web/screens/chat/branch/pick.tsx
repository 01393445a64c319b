import { Check, MessageSquareReply } from "lucide-react";
import { useState } from "react";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import styles from "../answer/answer.module.css";

export type PickProps = {
  /** The answer's name among its siblings. */
  name: string;
  isContinued: boolean;
  /** No message follows: the person has yet to choose. */
  isEnd: boolean;
  /** Left out for viewers. */
  onPick: (() => Promise<void>) | undefined;
};

/**
 * Below one of several answers: continues the conversation from it, or shows that it was continued.
 */
export function Pick({ name, isContinued, isEnd, onPick }: PickProps) {
  const [isBusy, setBusy] = useState(false);
  const pick = () => {
    setBusy(true);
    void onPick?.().finally(() => setBusy(false));
  };
  const acts =
    onPick && !isContinued && !isBusy
      ? [{ id: "pick", title: t("chat.pick"), icon: MessageSquareReply, run: pick }]
      : [];
  const at = useRowActions<HTMLButtonElement>(name, acts, isEnd);
  if (isContinued)
    return (
      <p className={styles.picked}>
        <Check aria-hidden />
        {t("chat.picked")}
      </p>
    );
  if (!onPick) return null;
  return (
    <Button ref={at} size="small" busy={isBusy} onClick={pick} className={styles.continue}>
      {t("chat.pick")}
    </Button>
  );
}
