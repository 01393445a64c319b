import { UserPlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { ProjectRole } from "#contract/entities.ts";
import { FormError } from "../../components/account/form-error.tsx";
import { fieldError } from "../../data/field-problem.ts";
import { useAddMember } from "../../data/queries/project.queries.ts";
import { useElementAction } from "../../frame/action-button.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField } from "../../ui/controls/select.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./project.module.css";
import { projectRoleOptions } from "./project-role-options.ts";

/** Invites a person by email. */
export function AddMemberForm({ projectId }: { projectId: string }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("editor");
  const [isMissing, setMissing] = useState(false);
  const add = useAddMember(projectId);
  const toast = useToast();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!email.trim());
    if (!email.trim()) return;
    add.mutate(
      { email, role },
      {
        onSuccess: () => {
          toast({ text: t("project.members.added", { email: email.trim() }) });
          setEmail("");
        },
      },
    );
  };
  const field = useElementAction<HTMLInputElement>(
    { id: "members.add", title: t("project.members.add"), icon: UserPlus },
    "focus",
  );
  return (
    <form className={styles.add} onSubmit={submit} noValidate aria-label={t("project.members.add")}>
      <div className={styles.email}>
        <TextField
          label={t("project.members.email")}
          hint={t("project.members.invited.hint")}
          error={isMissing ? t("project.members.email.needed") : fieldError(add.error, "email")}
          value={email}
          onValueChange={(value) => {
            setEmail(value);
            setMissing(false);
          }}
          ref={field}
          type="email"
          autoComplete="off"
          maxLength={254}
        />
      </div>
      <div className={styles.as}>
        <SelectField
          label={t("project.members.addRole")}
          value={role}
          onValueChange={setRole}
          options={projectRoleOptions()}
        />
      </div>
      <Button type="submit" icon={UserPlus} busy={add.isPending} className={styles.submit}>
        {t("project.members.submit")}
      </Button>
      <FormError error={add.error} fields={["email"]} />
    </form>
  );
}
