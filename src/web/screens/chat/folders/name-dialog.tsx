import { useState } from "react";
import { limits } from "#contract/limits.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { NameField } from "../../../ui/controls/name-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";

export type Naming = {
  title: string;
  name: string;
  action: string;
  /** Resolves to whether the name was saved. */
  onSave: (name: string) => Promise<boolean>;
};

/** Asks for the name of a folder or tag. */
export function NameDialog({ naming, onClose }: { naming: Naming; onClose: () => void }) {
  const [name, setName] = useState(naming.name);
  const [isBusy, setBusy] = useState(false);
  const isEmpty = name.trim() === "";
  const save = async () => {
    if (isEmpty || isBusy) return;
    setBusy(true);
    if (await naming.onSave(name.trim())) onClose();
    else setBusy(false);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={naming.title}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant="primary" disabled={isEmpty} busy={isBusy} onClick={() => void save()}>
            {naming.action}
          </Button>
        </>
      }
    >
      <NameField
        maxLength={limits.nameCharacters}
        label={t("chat.folder.name")}
        value={name}
        onValueChange={setName}
        previous={naming.name}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) void save();
        }}
      />
    </Dialog>
  );
}
