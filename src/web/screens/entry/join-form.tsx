import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { limits } from "#contract/limits.ts";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { checkNewPassword, PasswordField } from "../../components/account/password-field.tsx";
import { call, isProblem } from "../../data/client.ts";
import { fieldError } from "../../data/field-problem.ts";
import { inviteQuery } from "../../data/queries/join.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";

type JoinFormProps = { token: string; kind: "join" | "password"; email: string };

export function JoinForm({ token, kind, email }: JoinFormProps) {
  const isJoin = kind === "join";
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [missing, setMissing] = useState<{ name?: string | null; password?: string | null }>({});
  const queryClient = useQueryClient();
  const accept = useMutation({
    mutationFn: async () => {
      await call("acceptInvite", {
        params: { token },
        body: { password, ...(isJoin && { name }) },
      });
      if (isJoin)
        await call("updatePreferences", {
          body: { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
        }).catch(() => undefined);
    },
    // A full page load, so that no data of the previous account stays in memory.
    onSuccess: () => location.assign("/"),
    // The link was used meanwhile, perhaps by an attempt whose answer was lost; the page shows this
    // and links to sign-in.
    onError: (error) =>
      isProblem(error, "not_found") &&
      queryClient.invalidateQueries({ queryKey: inviteQuery(token).queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = {
      name: isJoin && !name.trim() ? t("account.name.needed") : null,
      password: checkNewPassword(password),
    };
    setMissing(wrong);
    if (!wrong.name && !wrong.password) accept.mutate();
  };
  const errorOf = (field: "name" | "password") => missing[field] ?? fieldError(accept.error, field);
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {isJoin && (
        <TextField
          label={t("account.name")}
          error={errorOf("name")}
          value={name}
          onValueChange={setName}
          autoComplete="name"
          maxLength={limits.nameCharacters}
          autoFocus
        />
      )}
      {/* Password managers save the password with the username from the previous field. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        label={t(isJoin ? "account.password" : "account.password.new")}
        hint={t("account.password.hint", { least: limits.passwordCharactersLeast })}
        error={errorOf("password")}
        value={password}
        onValueChange={(value) => {
          setPassword(value);
          setMissing({ ...missing, password: null });
        }}
        autoComplete="new-password"
        autoFocus={!isJoin}
      />
      <FormError error={accept.error} fields={["name", "password"]} />
      <div className={styles.submit}>
        <Button
          type="submit"
          variant="primary"
          size="large"
          busy={accept.isPending}
          className={styles.wide}
        >
          {t(isJoin ? "join.submit" : "join.password.submit")}
        </Button>
      </div>
    </form>
  );
}
