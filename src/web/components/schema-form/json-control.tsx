import { useState } from "react";
import type { Json } from "#contract/json.ts";
import { t } from "../../messages/t.ts";
import { TextArea } from "../../ui/controls/text-area.tsx";
import type { ControlProps } from "./control-props.ts";
import { useForm } from "./form-context.ts";
import styles from "./schema-form.module.css";

const write = (value: Json | undefined) =>
  value === undefined ? "" : JSON.stringify(value, null, 2);

/**
 * Edits a value without a form as JSON. Invalid JSON stays in the field with its error and isn't
 * passed on.
 */
export function JsonControl({ path, value, fallback, onChange, shared }: ControlProps<"json">) {
  const { isDisabled, errors } = useForm();
  const [draft, setDraft] = useState<{
    text: string;
    of: Json | undefined;
    reason: string | null;
  } | null>(null);
  const current = draft && draft.of === value ? draft : null;
  const change = (text: string) => {
    if (text.trim() === "") {
      setDraft({ text, of: undefined, reason: null });
      return onChange(undefined);
    }
    try {
      const parsed: Json = JSON.parse(text);
      setDraft({ text, of: parsed, reason: null });
      onChange(parsed);
    } catch (error) {
      setDraft({ text, of: value, reason: error instanceof Error ? error.message : "" });
    }
  };
  const below = Object.entries(errors).find(
    ([place]) => place === path || place.startsWith(`${path}.`),
  )?.[1];
  const error =
    current?.reason != null ? t("form.json.invalid", { reason: current.reason }) : below;
  return (
    <TextArea
      {...shared}
      hint={shared.hint ?? t("form.json.hint")}
      aside={t("form.json")}
      error={error}
      className={styles.json}
      spellCheck={false}
      minRows={3}
      disabled={isDisabled}
      placeholder={write(fallback ?? undefined)}
      value={current?.text ?? write(value)}
      onValueChange={change}
    />
  );
}
