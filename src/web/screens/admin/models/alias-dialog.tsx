import { type FormEvent, useId, useState } from "react";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { Model } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { type Task, taskNames, tasks } from "#contract/tasks.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import { AddModel } from "../../../components/composer/add-model.tsx";
import { useReachableConnections } from "../../../components/connections/use-reachable-connections.ts";
import { fieldError, fieldProblem } from "../../../data/field-problem.ts";
import { toModelRef } from "../../../data/model-ref.ts";
import {
  type Alias,
  sharedModelsQuery,
  useSaveAlias,
} from "../../../data/queries/aliases.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./models-section.module.css";
import { type NamedModel, OrderedModels } from "./ordered-models.tsx";

export type AliasDialogProps = {
  /** Null for a new alias. */
  alias: Alias | null;
  isOpen: boolean;
  onClose: () => void;
};

const offered = taskNames.filter((task) => task !== "live");

/** The form of an alias. The input stays if the server refuses it. */
export function AliasDialog({ alias, isOpen, onClose }: AliasDialogProps) {
  const formId = useId();
  const [name, setName] = useState(alias?.name ?? "");
  const [task, setTask] = useState<Task>(alias?.task ?? "image");
  const [models, setModels] = useState<NamedModel[]>(alias?.models ?? []);
  const [isMissing, setMissing] = useState(false);
  const { project } = useSession();
  const connections = useReachableConnections();
  const save = useSaveAlias();
  const toast = useToast();
  const refused = fieldProblem(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(models.length === 0);
    if (models.length === 0) return;
    const refs = models.map(toModelRef);
    save.mutate(
      { isNew: alias === null, name: name.trim(), task, models: refs },
      {
        onSuccess: () => {
          toast({ text: t("aliases.saved", { name: name.trim() }) });
          onClose();
        },
      },
    );
  };
  /** An alias contains neither another alias nor a model of a person's or project's connection. */
  const mayContain = ({ connectionId }: Model) =>
    connectionId !== aliasConnectionId &&
    !connections.some(({ id, scope }) => id === connectionId && scope !== "instance");
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={save.isPending}>
        {t("aliases.save")}
      </Button>
    </>
  );
  const ofModels = refused?.field.startsWith("models")
    ? refused.text
    : isMissing && models.length === 0
      ? t("aliases.models.none")
      : null;
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={alias ? t("aliases.edit", { name: alias.name }) : t("aliases.new")}
      footer={footer}
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        {alias === null && (
          <TextField
            label={t("aliases.name")}
            hint={t("aliases.name.hint")}
            error={fieldError(save.error, "name")}
            value={name}
            onValueChange={setName}
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        <SelectField
          label={t("aliases.task")}
          error={fieldError(save.error, "task")}
          value={task}
          onValueChange={setTask}
          options={offered.map((value) => ({ value, label: tasks[value].name }))}
        />
        <div className={styles.form}>
          <p className={styles.hint}>{t("aliases.models")}</p>
          {models.length > 0 && <OrderedModels models={models} onChange={setModels} />}
          {ofModels && (
            <p role="alert" className={styles.refused}>
              {ofModels}
            </p>
          )}
          {models.length < limits.modelsPerAlias && (
            <div>
              <AddModel
                label={t("aliases.models.add")}
                projectId={project.id}
                added={models}
                task={task}
                find={(search) => sharedModelsQuery(task, search)}
                keep={mayContain}
                onChoose={(model) => setModels([...models, model])}
              />
            </div>
          )}
        </div>
        <FormError
          error={save.error}
          fields={["name", "task", ...models.map((_, index) => `models.${index}`)]}
        />
      </form>
    </Dialog>
  );
}
