import { type FormEvent, useEffect, useRef, useState } from "react";
import { limits } from "#contract/limits.ts";
import { fieldProblem } from "../../../data/field-problem.ts";
import { useTabDraft } from "../../../data/saved/tab-draft.ts";
import { t } from "../../../messages/t.ts";
import { FileField } from "../../../ui/controls/file-field.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import styles from "../connections.module.css";
import { ProviderProblem } from "../provider-problem.tsx";

export type WorkflowFormProps = {
  /** The form's id. Its submit button is in the dialog's footer. */
  id: string;
  /** The draft's name, under which it survives a reload. */
  draft: string;
  name: string;
  error: unknown;
  /** Rejects if the server refuses; the typed values then stay. */
  onSubmit: (name: string, text: string) => Promise<unknown>;
};

/** A workflow from a file or pasted text, and its name. */
export function WorkflowForm({ id, draft, name, error, onSubmit }: WorkflowFormProps) {
  const [typed, setTyped, clearTyped] = useTabDraft(draft, { name, text: "" });
  const [missing, setMissing] = useState<"name" | "workflow" | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!error && !missing) return;
    const place = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem]');
    place?.focus();
    place?.scrollIntoView({ block: "nearest" });
  }, [error, missing]);

  const refused = fieldProblem(error);
  const errorOf = (field: "name" | "workflow"): string | null => {
    if (field === missing) return t("connections.field.needed");
    return refused?.field === field ? refused.text : null;
  };
  const read = async (file: File | null) => {
    if (!file) return;
    // Reads no more than one byte over the limit; the server's refusal names the limit.
    const text = await file.slice(0, limits.workflowBytes + 1).text();
    setMissing(null);
    setTyped({
      text,
      name: typed.name.trim() || file.name.replace(/\.json$/i, "").slice(0, limits.nameCharacters),
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const empty = !typed.text.trim() ? "workflow" : !typed.name.trim() ? "name" : null;
    setMissing(empty);
    if (!empty) onSubmit(typed.name.trim(), typed.text).then(clearTyped, () => undefined);
  };
  return (
    <form ref={form} id={id} className={styles.form} onSubmit={submit} noValidate>
      <FileField
        label={t("connections.workflows.file")}
        accept=".json,application/json"
        onFile={(file) => void read(file)}
      />
      <TextArea
        label={t("connections.workflows.text")}
        error={errorOf("workflow")}
        value={typed.text}
        onValueChange={(text) => {
          setMissing(null);
          setTyped({ text });
        }}
        minRows={4}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        className={styles.json}
      />
      <TextField
        label={t("connections.name")}
        hint={t("connections.name.hint")}
        error={errorOf("name")}
        value={typed.name}
        onValueChange={(value) => {
          setMissing(null);
          setTyped({ name: value });
        }}
        maxLength={limits.nameCharacters}
        autoComplete="off"
      />
      {Boolean(error) && !errorOf("name") && !errorOf("workflow") && (
        <div data-problem tabIndex={-1}>
          <ProviderProblem error={error} />
        </div>
      )}
    </form>
  );
}
