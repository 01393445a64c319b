import { type FormEvent, useState } from "react";
import type { Project } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { fieldError } from "../../data/field-problem.ts";
import { useUpdateProject } from "../../data/queries/project.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/text-area.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";

const descriptionCharacters = 2_000;

/** Name, description and instructions, which managers can edit. */
export function ProjectForm({ project }: { project: Project }) {
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description);
  const [instructions, setInstructions] = useState(project.instructions);
  const [isMissing, setMissing] = useState(false);
  const update = useUpdateProject(project.id);
  const toast = useToast();
  const isReadOnly = project.role !== "manager";
  const isSame =
    name.trim() === project.name &&
    description === project.description &&
    instructions === project.instructions;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!name.trim());
    if (name.trim())
      update.mutate(
        { name, description, instructions },
        { onSuccess: () => toast({ text: t("project.saved") }) },
      );
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t("project.name")}
        error={isMissing ? t("project.name.needed") : fieldError(update.error, "name")}
        value={name}
        onValueChange={setName}
        readOnly={isReadOnly}
        autoComplete="off"
        maxLength={limits.nameCharacters}
      />
      <TextArea
        label={t("project.description")}
        hint={t("project.description.hint")}
        value={description}
        onValueChange={setDescription}
        readOnly={isReadOnly}
        minRows={3}
        maxLength={descriptionCharacters}
      />
      <TextArea
        label={t("project.instructions")}
        hint={t("project.instructions.hint")}
        value={instructions}
        onValueChange={setInstructions}
        readOnly={isReadOnly}
        minRows={3}
        maxLength={limits.systemPromptCharacters}
      />
      <FormError error={update.error} fields={["name"]} />
      {!isReadOnly && (
        <div className={styles.submit}>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={isSame}>
            {t("ui.save")}
          </Button>
        </div>
      )}
    </form>
  );
}
