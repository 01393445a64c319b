import { type FormEvent, useState } from "react";
import type { ModelDetail } from "#contract/entities.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import { limitProblem } from "../../../components/budgets/budget-draft.ts";
import { useSetModelPrice } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./model-page.module.css";
import { mediaUnits, type OwnPrice, readOwnPrice, writeOwnPrice } from "./own-price.ts";

/** Sets a price if no other source has one. */
export function OwnPriceForm({ model }: { model: ModelDetail }) {
  const [price, setPrice] = useState(() => writeOwnPrice(model));
  const [wasSent, setWasSent] = useState(false);
  const set = useSetModelPrice(model);
  const toast = useToast();
  const isSet = model.prices.length > 0;
  const send = (prices: ReturnType<typeof readOwnPrice> | null) =>
    prices !== undefined &&
    set.mutate(
      { prices },
      {
        onSuccess: () => {
          toast({ text: t(prices === null ? "models.own.removed" : "models.own.done") });
          setWasSent(false);
          if (prices === null) setPrice(writeOwnPrice({ ...model, prices: [] }));
        },
      },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    send(readOwnPrice(model, price));
  };
  const field = (name: "input" | "output" | "amount") => (
    <TextField
      label={t(`models.own.${name}`)}
      error={wasSent ? limitProblem(price[name]) : null}
      value={price[name]}
      onValueChange={(value: string) => setPrice({ ...price, [name]: value })}
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
    />
  );
  return (
    <form className={styles.form} onSubmit={submit} noValidate aria-label={t("models.own")}>
      <div className={styles.fields}>
        {model.tasks.includes("chat") ? (
          <>
            {field("input")}
            {field("output")}
          </>
        ) : (
          <>
            {field("amount")}
            <SelectField
              label={t("models.own.unit")}
              value={price.unit}
              onValueChange={(unit: OwnPrice["unit"]) => setPrice({ ...price, unit })}
              options={mediaUnits.map((unit) => ({
                value: unit,
                label: t(`models.own.unit.${unit}`),
              }))}
            />
          </>
        )}
      </div>
      <p className={styles.text}>{t("models.own.hint")}</p>
      <div className={styles.formButtons}>
        <Button type="submit" busy={set.isPending}>
          {t("models.own.submit")}
        </Button>
        {isSet && (
          <Button variant="ghost" disabled={set.isPending} onClick={() => send(null)}>
            {t("ui.remove")}
          </Button>
        )}
      </div>
      <FormError error={set.error} fields={[]} safe={t("budgets.kept")} />
    </form>
  );
}
