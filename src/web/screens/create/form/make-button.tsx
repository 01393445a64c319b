import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { BudgetLink } from "../../../components/budgets/budget-link.tsx";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import styles from "./form.module.css";
import type { CreateForm } from "./use-create-form.ts";
import type { Make } from "./use-make.ts";

/** The maximum price, if there is one. */
function tooltipOf({ price }: CreateForm): string {
  const command = t("create.make.command");
  if (price?.kind !== "about" || price.mostMicros === undefined) return command;
  return t("create.make.most", {
    command,
    price: formatPrice({ kind: "at-most", micros: price.mostMicros }),
  });
}

/** The submit button, with its results and price. */
export function MakeButton({
  form,
  making,
  mayEdit,
  onMake,
}: {
  form: CreateForm;
  making: Make;
  mayEdit: boolean;
  onMake: () => void;
}) {
  const { count } = form;
  const { one, many } = tasks[form.task].makes;
  const make = t("create.make", { count, one, many });
  const words = form.price
    ? t("create.make.price", { make, price: formatPrice(form.price) })
    : make;
  if (form.isEmpty) return null;
  return (
    <div className={styles.footer}>
      {making.failure !== null && (
        <ErrorState
          compact
          error={making.failure}
          safe={t("create.kept")}
          action={<BudgetLink error={making.failure} />}
        />
      )}
      {mayEdit ? (
        <Button
          variant="primary"
          size="large"
          className={styles.make}
          busy={making.isMaking}
          disabled={!form.isReady || !form.isCounted || count > limits.runsPerBatch}
          data-tooltip={tooltipOf(form)}
          data-tooltip-keys="mod+enter"
          data-tooltip-side="top"
          onClick={onMake}
        >
          {words}
        </Button>
      ) : (
        <p className={styles.note}>{t("create.viewer")}</p>
      )}
    </div>
  );
}
