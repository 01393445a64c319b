import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { ConnectionField } from "../../data/queries/connections.queries.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { SelectField } from "../../ui/controls/select.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";

type ConnectionFieldControlProps = {
  field: ConnectionField;
  value: string;
  onValueChange: (value: string) => void;
  error: string | null;
  /** A key is already stored; an empty field keeps it. */
  hasStored: boolean;
  autoFocus?: boolean;
};

/** Fields whose default depends on the address; the hint names it. */
const dependOnAddress = ["outputLimitField"];

/** The first of a field's choices is its default. */
function defaultText({ name, choices }: ConnectionField): string {
  const [first] = choices ?? [];
  return first && !dependOnAddress.includes(name)
    ? t("connections.choice.defaultOf", { choice: first })
    : t("connections.choice.default");
}

/** One field of a connection's form, by its kind. */
export function ConnectionFieldControl({
  field,
  value,
  onValueChange,
  error,
  hasStored,
  autoFocus,
}: ConnectionFieldControlProps) {
  const [isShown, setShown] = useState(false);
  const shared = {
    error,
    value,
    onValueChange,
    aside: field.required ? undefined : t("connections.optional"),
  };
  if (field.kind === "choice") {
    const options = [
      { value: "", label: defaultText(field) },
      ...(field.choices ?? []).map((choice) => ({ value: choice, label: choice })),
    ];
    return <SelectField {...shared} label={field.label} hint={field.hint} options={options} />;
  }
  const isSecret = field.kind === "secret";
  return (
    <TextField
      {...shared}
      label={field.label}
      hint={isSecret && hasStored ? t("connections.key.kept") : field.hint}
      type={isSecret && !isShown ? "password" : "text"}
      end={
        isSecret && (
          <IconButton
            icon={isShown ? EyeOff : Eye}
            label={t("connections.key.show", { label: field.label })}
            pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        )
      }
      inputMode={field.kind === "url" ? "url" : field.kind === "number" ? "decimal" : undefined}
      placeholder={isSecret && hasStored ? "••••••••••••" : field.placeholder}
      // A provider's key isn't a sign-in, so the browser must neither fill nor save it.
      autoComplete={isSecret ? "new-password" : "off"}
      spellCheck={false}
      autoCapitalize="none"
      maxLength={20_000}
      autoFocus={autoFocus}
    />
  );
}
