import { tasks } from "#contract/tasks.ts";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import styles from "./form.module.css";
import type { CreateForm } from "./use-create-form.ts";
import type { Make } from "./use-make.ts";

/** What will be made and what it will cost, on the button that does it. */
export function MakeButton({ form, making, mayEdit, onMake }: { form: CreateForm; making: Make; mayEdit: boolean; onMake: () => void }) {
  const count = Math.max(1, form.models.length) * form.variants;
  const { one, many } = tasks[form.task].makes;
  const make = t("create.make", { count, one, many });
  const words = form.price ? t("create.make.price", { make, price: formatPrice(form.price) }) : make;
  if (form.isEmpty) return null;
  return (
    <div className={styles.footer}>
      {making.failure !== null && <ErrorState compact error={making.failure} safe={t("create.kept")} />}
      {mayEdit ? (
        <Button
          variant="primary"
          size="large"
          className={styles.make}
          busy={making.isMaking}
          disabled={!form.isReady}
          data-tooltip={t("create.make.command")}
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
