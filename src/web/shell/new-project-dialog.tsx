import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { limits } from "#contract/limits.ts";
import { call } from "../data/client.ts";
import { t } from "../messages/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useToast } from "../ui/toast.tsx";
import { useSession } from "./shell-data.ts";

/** Makes a project, works in it from then on, and opens its page, where others are added. */
export function NewProjectDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { setProject } = useSession();
  const [name, setName] = useState("");
  const [isMissing, setMissing] = useState(false);
  const formId = useId();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const create = useMutation({
    mutationFn: () => call("createProject", { body: { name } }),
    onSuccess: async ({ project }) => {
      await queryClient.invalidateQueries({ queryKey: ["me"] });
      setProject(project.id);
      setName("");
      onOpenChange(false);
      toast({ text: t("project.new.done", { name: project.name }) });
      await navigate({ to: "/projects/$id", params: { id: project.id } });
    },
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
    <Dialog open={open} onOpenChange={onOpenChange} title={t("project.new")} description={t("project.new.text")} footer={footer}>
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
    </Dialog>
  );
}
