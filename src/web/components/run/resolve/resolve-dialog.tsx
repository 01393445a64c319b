import { Link } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import type { Run } from "#contract/entities.ts";
import { conversationOf } from "../../../data/queries/activity.queries.ts";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./resolve-dialog.module.css";
import { useUnconfirmed } from "./unconfirmed-facts.ts";
import { type Offer, useResolving } from "./use-resolving.ts";

/** What can be done about an unconfirmed run, each with what it means; of a run that failed in doubt, what its provider can still be asked. */
export function ResolveDialog({
  run,
  open,
  onOpenChange,
}: {
  run: Run;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const name = useId();
  const unconfirmed = useUnconfirmed(run, open);
  const conversationId = conversationOf(run);
  const resolving = useResolving(run, () => onOpenChange(false));
  const { offer, choose, confirm } = resolving;
  const isOpen = run.state === "unconfirmed";
  const title = t(isOpen ? "run.resolve.title" : "run.look.title");
  const offers: Offer[] = [
    ...(unconfirmed.canLook ? (["look"] as const) : []),
    ...(unconfirmed.canAttach ? (["attach"] as const) : []),
    ...(isOpen ? (["not-made", "made-elsewhere"] as const) : []),
    ...(isOpen && run.messageId === null ? (["again"] as const) : []),
  ];
  const outcome = (
    <>
      <div role="status">{resolving.news && <p className={styles.news}>{resolving.news}</p>}</div>
      {resolving.error && (
        <ErrorState compact isOpen={resolving.isRepeated} error={resolving.error} />
      )}
    </>
  );
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button
        variant="primary"
        disabled={!offer || resolving.isIncomplete}
        busy={resolving.isPending}
        onClick={confirm}
      >
        {t(
          resolving.isRepeated
            ? "run.resolve.attach.anyway"
            : `run.resolve.${offer ?? (isOpen ? "not-made" : "attach")}.confirm`,
        )}
      </Button>
    </>
  );
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={
        isOpen
          ? `${unconfirmed.words ?? t("ui.loading")} ${t("run.resolve.intro", { provider: unconfirmed.provider })}`
          : t("run.look.refused", { provider: unconfirmed.provider })
      }
      footer={footer}
    >
      <div role="radiogroup" aria-label={title} className={styles.choices}>
        {offers.map((each) => (
          <Choice
            key={each}
            name={name}
            isChosen={offer === each}
            onChoose={() => choose(each)}
            label={t(`run.resolve.${each}`)}
            hint={t(`run.resolve.${each}.hint`, { provider: unconfirmed.provider })}
          >
            {each === "attach" && (
              <TextField
                label={t("run.resolve.attach.id")}
                value={resolving.requestId}
                onValueChange={resolving.setRequestId}
                autoComplete="off"
                spellCheck={false}
                error={resolving.idProblem}
              />
            )}
            {each === "made-elsewhere" && (
              <TextField
                label={t("run.resolve.cost")}
                hint={
                  run.heldMicros > 0
                    ? t("run.resolve.cost.held", { amount: formatMoney(run.heldMicros) })
                    : t("run.resolve.cost.hint")
                }
                value={resolving.dollars}
                onValueChange={resolving.setDollars}
                inputMode="decimal"
                autoComplete="off"
                placeholder="0.40"
                error={resolving.costProblem}
              />
            )}
            {outcome}
          </Choice>
        ))}
      </div>
      {conversationId && (
        <p className={styles.aside}>
          {t("run.resolve.chat")}
          <Link
            to="/chat/$id"
            params={{ id: conversationId }}
            className={buttonClass({ size: "small" })}
          >
            {t("run.outputs.openConversation")}
          </Link>
        </p>
      )}
    </Dialog>
  );
}

type ChoiceProps = {
  name: string;
  isChosen: boolean;
  onChoose: () => void;
  label: string;
  /** What choosing it means. */
  hint: string;
  children?: ReactNode;
};

/** One of the offers; chosen, it shows its field and the outcome of the last try. */
export function Choice({ name, isChosen, onChoose, label, hint, children }: ChoiceProps) {
  return (
    <div className={styles.choice}>
      <label className={styles.pick}>
        <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
        <span>
          <span className={styles.label}>{label}</span>
          <span className={styles.hint}>{hint}</span>
        </span>
      </label>
      {isChosen && children && <div className={styles.more}>{children}</div>}
    </div>
  );
}
