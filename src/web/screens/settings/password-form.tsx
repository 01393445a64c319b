import { type FormEvent, useState } from "react";
import { limits } from "#contract/limits.ts";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { checkNewPassword, PasswordField } from "../../components/account/password-field.tsx";
import { fieldError } from "../../data/field-problem.ts";
import { useChangePassword } from "../../data/queries/settings.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";

type Field = "current" | "password";
const empty = { current: "", password: "" };

export function PasswordForm() {
  const [typed, setTyped] = useState(empty);
  const [missing, setMissing] = useState<Partial<Record<Field, string | null>>>({});
  const change = useChangePassword();
  const toast = useToast();
  const errorOf = (field: Field) => missing[field] ?? fieldError(change.error, field);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = {
      current: typed.current ? null : t("settings.password.current.needed"),
      password: checkNewPassword(typed.password),
    };
    setMissing(wrong);
    if (wrong.current || wrong.password) return;
    change.mutate(typed, {
      onSuccess: () => {
        setTyped(empty);
        toast({ text: t("settings.password.changed") });
      },
    });
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <PasswordField
        label={t("settings.password.current")}
        error={errorOf("current")}
        value={typed.current}
        onValueChange={(current) => setTyped({ ...typed, current })}
        autoComplete="current-password"
      />
      <PasswordField
        label={t("settings.password.new")}
        hint={t("account.password.hint", { least: limits.passwordCharactersLeast })}
        error={errorOf("password")}
        value={typed.password}
        onValueChange={(password) => setTyped({ ...typed, password })}
        autoComplete="new-password"
      />
      <FormError error={change.error} fields={["current", "password"]} />
      <div className={styles.submit}>
        <Button type="submit" busy={change.isPending}>
          {t("settings.password.submit")}
        </Button>
      </div>
    </form>
  );
}
