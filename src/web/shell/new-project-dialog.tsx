import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import type { ProjectImport } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { call } from "../data/client.ts";
import { refreshAfter } from "../data/keys.ts";
import { useSession } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { Button } from "../ui/controls/button.tsx";
import { TextField } from "../ui/controls/text-field.tsx";
import { ErrorState } from "../ui/display/error-state.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useToast } from "../ui/overlays/toast.tsx";
import { ImportSection } from "./import-section.tsx";
import { useProjectImport } from "./use-project-import.ts";

/** Creates or imports a project, switches to it, and opens its page, where members are added. */
export function NewProjectDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { setProject } = useSession();
  const [name, setName] = useState("");
  const [isMissing, setMissing] = useState(false);
  const formId = useId();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const enter = async (project: { id: string; name: string }, detail?: string) => {
    await refreshAfter(queryClient, "account");
    setProject(project.id);
    onOpenChange(false);
    toast({ text: t("project.new.done", { name: project.name }), detail });
    await navigate({ to: "/projects/$id", params: { id: project.id } });
  };
  const create = useMutation({
    mutationFn: () => call("createProject", { body: { name } }),
    onSuccess: ({ project }) => {
      setName("");
      return enter(project);
    },
  });
  const enterImported = async ({ id, projectId, name, filesMissing }: ProjectImport) => {
    // Another tab may have dismissed it already.
    await importing.remove(id).catch(() => undefined);
    if (projectId)
      await enter(
        { id: projectId, name },
        filesMissing > 0 ? t("project.import.missing", { count: filesMissing }) : undefined,
      );
  };
  const importing = useProjectImport((done) => {
    if (open) return void enterImported(done);
    // A person who has continued working stays on their screen.
    void refreshAfter(queryClient, "account");
    const action = { label: t("project.import.open"), onAction: () => void enterImported(done) };
    toast({ text: t("project.import.here", { name: done.name }), action, timeoutMs: 0 });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!name.trim());
    if (name.trim()) create.mutate();
  };
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={create.isPending}>
        {t("project.new.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t("project.new")}
      description={t("project.new.text")}
      footer={footer}
    >
      <form id={formId} onSubmit={submit} noValidate>
        <TextField
          label={t("project.name")}
          error={isMissing ? t("project.name.needed") : null}
          value={name}
          onValueChange={setName}
          autoComplete="off"
          maxLength={limits.nameCharacters}
        />
        {create.error && <ErrorState compact error={create.error} />}
      </form>
      <ImportSection importing={importing} onOpen={(done) => void enterImported(done)} />
    </Dialog>
  );
}
