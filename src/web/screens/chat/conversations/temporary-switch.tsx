import { TimerOff, Trash2 } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Chip } from "../../../ui/controls/chip.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useWidth } from "../../../ui/use-width.ts";

type TemporarySwitchProps = { isTemporary: boolean; onChange: (isTemporary: boolean) => void };

/** In the header before the first message: makes the conversation temporary. */
export function TemporarySwitch({ isTemporary, onChange }: TemporarySwitchProps) {
  const toggle = () => onChange(!isTemporary);
  return useWidth() === "phone" ? (
    <IconButton
      icon={TimerOff}
      label={t("chat.temporary")}
      pressed={isTemporary}
      onClick={toggle}
    />
  ) : (
    <Chip icon={TimerOff} selected={isTemporary} onClick={toggle}>
      {t("chat.temporary")}
    </Chip>
  );
}

/** The close button in a temporary chat's header. */
export function CloseTemporary({ onClose }: { onClose: () => void }) {
  return useWidth() === "phone" ? (
    <IconButton icon={Trash2} label={t("chat.temporary.close")} onClick={onClose} />
  ) : (
    <Button icon={Trash2} onClick={onClose}>
      {t("chat.temporary.close")}
    </Button>
  );
}
