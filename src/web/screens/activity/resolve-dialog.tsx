import { useId, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { formatExact } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useModelName, useResolveRun } from "./activity.queries.ts";
import styles from "./resolve-dialog.module.css";

const outcomes = [
  { outcome: "not-made", label: "run.resolve.notMade", hint: "run.resolve.notMade.hint" },
  { outcome: "made-elsewhere", label: "run.resolve.elsewhere", hint: "run.resolve.elsewhere.hint" },
] as const;

/** A person's word on an unconfirmed run, with what each word means. */
export function ResolveDialog({ run, open, onOpenChange }: { run: Run; open: boolean; onOpenChange: (open: boolean) => void }) {
  const [outcome, setOutcome] = useState<"not-made" | "made-elsewhere" | null>(null);
  const resolve = useResolveRun();
  const toast = useToast();
  const name = useId();
  const model = useModelName(run);
  const confirm = () => {
    if (!outcome) return;
    resolve.mutate(
      { runId: run.id, outcome },
      {
        onSuccess: () => {
          onOpenChange(false);
          toast({ text: t("run.resolve.done") });
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button variant="primary" disabled={!outcome} busy={resolve.isPending} onClick={confirm}>
        {t("run.resolve.confirm")}
      </Button>
    </>
  );
  const when = formatExact(run.startedAt ?? run.createdAt);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t("run.resolve.title")}
      description={t("run.resolve.intro", { model, when })}
      footer={footer}
    >
      <div role="radiogroup" aria-label={t("run.resolve.title")} className={styles.choices}>
        {outcomes.map((choice) => (
          <label key={choice.outcome} className={styles.choice}>
            <input type="radio" name={name} checked={outcome === choice.outcome} onChange={() => setOutcome(choice.outcome)} />
            <span>
              <span className={styles.label}>{t(choice.label)}</span>
              <span className={styles.hint}>{t(choice.hint)}</span>
            </span>
          </label>
        ))}
      </div>
      {resolve.error && <ErrorState compact error={resolve.error} />}
    </Dialog>
  );
}
