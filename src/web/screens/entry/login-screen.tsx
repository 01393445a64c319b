import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { InsecureConnectionNotice } from "../../components/account/insecure-connection-notice.tsx";
import { PasswordField } from "../../components/account/password-field.tsx";
import { call, isProblem } from "../../data/client.ts";
import { fieldError } from "../../data/field-problem.ts";
import { refreshAfter } from "../../data/keys.ts";
import { startWithTheme } from "../../data/saved/appearance.ts";
import { useTabDraft } from "../../data/saved/tab-draft.ts";
import { BarePage } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { describeError } from "../../ui/describe-error.ts";

/** Email and password. After sign-in the frame goes to the address in `next`. */
export function LoginScreen() {
  const queryClient = useQueryClient();
  const [{ email }, setDraft, clearDraft] = useTabDraft("login", { email: "" });
  const [password, setPassword] = useState("");
  const [isMissing, setMissing] = useState(false);
  const signIn = useMutation({
    mutationFn: () => call("signIn", { body: { email, password } }),
    onSuccess: ({ user }) => {
      clearDraft();
      startWithTheme(user.theme);
      return refreshAfter(queryClient, "account");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(email.trim() === "" || password === "");
    if (email.trim() && password) signIn.mutate();
  };
  const emailProblem =
    isMissing && !email.trim() ? t("account.email.needed") : fieldError(signIn.error, "email");
  const isWrong = isProblem(signIn.error, "not_signed_in");
  const passwordProblem =
    isMissing && !password
      ? t("account.password.needed")
      : isWrong
        ? describeError(signIn.error).title
        : null;
  return (
    <BarePage title={t("login.title")} intro={t("login.intro")}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={t("account.email")}
          error={emailProblem}
          value={email}
          onValueChange={(value) => setDraft({ email: value })}
          type="email"
          autoComplete="username"
          maxLength={254}
          autoFocus
        />
        <PasswordField
          label={t("account.password")}
          error={passwordProblem}
          value={password}
          onValueChange={setPassword}
          autoComplete="current-password"
        />
        {!isWrong && <FormError error={signIn.error} fields={["email"]} />}
        <div className={styles.submit}>
          <Button
            type="submit"
            variant="primary"
            size="large"
            busy={signIn.isPending}
            className={styles.wide}
          >
            {t("login.submit")}
          </Button>
          <p className={styles.quiet}>{t("login.forgot")}</p>
        </div>
      </form>
      <InsecureConnectionNotice />
    </BarePage>
  );
}
