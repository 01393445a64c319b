import { type FormEvent, useState } from "react";
import styles from "../../components/account/account.module.css";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { readCode } from "./setup-code.ts";

/**
 * Asks for the setup code if the address has none or a wrong one. Accepts the whole link as well.
 */
export function CodeForm({
  code: tried,
  problem,
  onCode,
}: {
  code: string;
  problem: string | null;
  onCode: (code: string) => void;
}) {
  const [typed, setTyped] = useState(tried);
  const [isEmpty, setEmpty] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const code =
      (typed.includes("#") ? readCode(typed.slice(typed.indexOf("#"))) : typed.trim()) ?? "";
    setEmpty(code === "");
    if (code) onCode(code);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t("setup.code")}
        hint={t("setup.code.hint")}
        error={isEmpty ? t("setup.code.needed") : problem}
        value={typed}
        onValueChange={setTyped}
        autoComplete="off"
        spellCheck={false}
        maxLength={400}
        autoFocus
      />
      <div className={styles.submit}>
        <Button type="submit" variant="primary" size="large">
          {t("setup.code.continue")}
        </Button>
      </div>
    </form>
  );
}
