import { type FormEvent, useState } from "react";
import type { ModelDetail } from "#contract/entities.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import { limitProblem } from "../../../components/budgets/budget-draft.ts";
import { formatDollars, parseDollars } from "../../../components/budgets/parse-dollars.ts";
import { fieldError } from "../../../data/field-problem.ts";
import { useSetModelPrice } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./model-page.module.css";

/** The maximum amount that one run may reserve and cost. */
export function CeilingForm({ model }: { model: ModelDetail }) {
  const [text, setText] = useState(
    model.ceilingMicros === null ? "" : formatDollars(model.ceilingMicros),
  );
  const [problem, setProblem] = useState<string | null>(null);
  const set = useSetModelPrice(model);
  const toast = useToast();
  const send = (ceilingMicros: number | null) =>
    set.mutate(
      { ceilingMicros },
      {
        onSuccess: () => {
          toast({
            text: t(ceilingMicros === null ? "models.ceiling.removed" : "models.ceiling.done"),
          });
          if (ceilingMicros === null) setText("");
        },
      },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = limitProblem(text);
    setProblem(wrong);
    const micros = parseDollars(text);
    if (wrong === null && micros !== undefined) send(micros);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate aria-label={t("models.ceiling")}>
      <TextField
        label={t("models.ceiling")}
        hint={t("models.ceiling.hint")}
        error={problem ?? fieldError(set.error, "ceilingMicros")}
        value={text}
        onValueChange={(value) => {
          setText(value);
          setProblem(null);
        }}
        inputMode="decimal"
        autoComplete="off"
        maxLength={30}
      />
      <div className={styles.formButtons}>
        <Button type="submit" busy={set.isPending}>
          {t("models.ceiling.submit")}
        </Button>
        {model.ceilingMicros !== null && (
          <Button variant="ghost" disabled={set.isPending} onClick={() => send(null)}>
            {t("ui.remove")}
          </Button>
        )}
      </div>
      <FormError error={set.error} fields={["ceilingMicros"]} safe={t("budgets.kept")} />
    </form>
  );
}
