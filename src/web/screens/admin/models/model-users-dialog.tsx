import { type FormEvent, useId, useState } from "react";
import type { ModelUsers } from "#contract/entities.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import { useSetModelAccess } from "../../../data/queries/access.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { type Chosen, ModelUsersPicker } from "./model-users-picker.tsx";
import { type AccessTarget, usersText } from "./model-users-text.ts";
import styles from "./models-section.module.css";

export type ModelUsersDialogProps = {
  target: AccessTarget;
  isOpen: boolean;
  onClose: () => void;
};

type Who = "inherit" | ModelUsers["who"];

/** Sets who can use some models. The input stays if the server refuses it. */
export function ModelUsersDialog({ target, isOpen, onClose }: ModelUsersDialogProps) {
  const formId = useId();
  const [who, setWho] = useState<Who>(target.users?.who ?? "inherit");
  const [chosen, setChosen] = useState<Chosen>(target.users?.who === "these" ? target.users : none);
  const set = useSetModelAccess();
  const toast = useToast();
  const wholeConnection = "connectionId" in target.of;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const users = toUsers(who, chosen);
    set.mutate(
      { of: target.of, users },
      {
        onSuccess: ({ models }) => {
          toast({ text: t("access.set.done", { count: models, who: usersText(users) }) });
          onClose();
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={set.isPending}>
        {t("access.set.save")}
      </Button>
    </>
  );
  const hint =
    who === "inherit"
      ? t(wholeConnection ? "access.inherit.connection.hint" : "access.inherit.model.hint")
      : t(`access.${who}.hint`);
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={t("access.set.title", { what: target.what })}
      footer={footer}
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <Segmented
          label={t("access.who")}
          value={who}
          onValueChange={setWho}
          options={(["inherit", "everyone", "admins", "these"] as const).map((value) => ({
            value,
            label: t(`access.${value}`),
          }))}
        />
        <p className={styles.hint}>{hint}</p>
        {who === "these" && (
          <ModelUsersPicker target={target} chosen={chosen} onChosen={setChosen} />
        )}
        <FormError error={set.error} fields={[]} />
      </form>
    </Dialog>
  );
}

const none: Chosen = { userIds: [], projectIds: [] };

function toUsers(who: Who, { userIds, projectIds }: Chosen): ModelUsers | null {
  if (who === "inherit") return null;
  return who === "these" ? { who, userIds, projectIds } : { who };
}
