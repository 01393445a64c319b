import { useEffect, useId, useRef, useState } from "react";
import { limits } from "#contract/limits.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../controls/button.tsx";
import { NameField } from "../controls/name-field.tsx";
import { Dialog } from "./dialog.tsx";

export type Naming = {
  title: string;
  /** The field's label. */
  label: string;
  /** The present name; empty for a new object. */
  name: string;
  /** The button's label. */
  action: string;
  /** Resolves to whether the name was saved. */
  onSave: (name: string) => Promise<boolean>;
};

export type NameDialogProps = {
  naming: Naming;
  /** Why the last name wasn't saved, if no toast says so. */
  error?: string | null;
  onClose: () => void;
};

/** The dialog's content. It stays open until the name is saved. */
export function NamePopup({ naming, error, onClose }: NameDialogProps) {
  const formId = useId();
  const [name, setName] = useState(naming.name);
  const [isBusy, setBusy] = useState(false);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const isEmpty = name.trim() === "";
  const save = async () => {
    if (isEmpty || isBusy) return;
    setBusy(true);
    const isSaved = await naming.onSave(name.trim());
    // Closed meanwhile, it must not close the dialog that was opened after it.
    if (!isShown.current) return;
    if (isSaved) onClose();
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
          <Button type="submit" form={formId} variant="primary" disabled={isEmpty} busy={isBusy}>
            {naming.action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <NameField
          maxLength={limits.nameCharacters}
          label={naming.label}
          value={name}
          onValueChange={setName}
          previous={naming.name}
          error={error ?? null}
        />
      </form>
    </Dialog>
  );
}
