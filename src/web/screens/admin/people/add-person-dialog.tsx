import { type FormEvent, useId, useState } from "react";
import type { InstanceRole } from "#contract/entities.ts";
import styles from "../../../components/account/account.module.css";
import { FormError } from "../../../components/account/form-error.tsx";
import { fieldError } from "../../../data/field-problem.ts";
import { type CreatedLink, useCreateInvite } from "../../../data/queries/people.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { Field } from "../../../ui/controls/field.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { roleOptions } from "./role-options.ts";

export type AddPersonDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (made: CreatedLink) => void;
};

/** Creates a one-time link for a new person. */
export function AddPersonDialog({ isOpen, onClose, onCreated }: AddPersonDialogProps) {
  const { user, project, projects } = useSession();
  const managed = projects.filter(
    ({ role: own, archivedAt }) => own === "manager" && archivedAt === null,
  );
  const [projectIds, setProjectIds] = useState(
    managed.filter(({ id }) => id === project.id).map(({ id }) => id),
  );
  const choose = (id: string, isIn: boolean) =>
    setProjectIds(
      managed
        .filter((one) => (one.id === id ? isIn : projectIds.includes(one.id)))
        .map((one) => one.id),
    );
  const formId = useId();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<InstanceRole>("member");
  const [isMissing, setMissing] = useState(false);
  const create = useCreateInvite();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!email.trim());
    if (!email.trim()) return;
    create.mutate(
      { email, role, projectIds },
      {
        onSuccess: (made) => {
          setEmail("");
          setRole("member");
          onCreated(made);
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={create.isPending}>
        {t("people.add.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={t("people.add")}
      description={t("people.add.text")}
      footer={footer}
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={t("people.add.email")}
          error={isMissing ? t("people.add.email.needed") : fieldError(create.error, "email")}
          value={email}
          onValueChange={setEmail}
          type="email"
          autoComplete="off"
          maxLength={254}
        />
        <SelectField
          label={t("people.add.role")}
          value={role}
          onValueChange={setRole}
          options={roleOptions(user.role)}
        />
        {managed.length > 0 && (
          <Field isGroup label={t("people.add.projects")} hint={t("people.add.projects.hint")}>
            {() =>
              managed.map(({ id, name }) => (
                <Checkbox
                  key={id}
                  label={name}
                  checked={projectIds.includes(id)}
                  onCheckedChange={(isIn) => choose(id, isIn)}
                />
              ))
            }
          </Field>
        )}
        <FormError error={create.error} fields={["email"]} />
      </form>
    </Dialog>
  );
}
