import { Link } from "@tanstack/react-router";
import type { Run } from "#contract/entities.ts";
import { conversationOf } from "../../../data/queries/activity.queries.ts";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { OfferDialog } from "./offer-dialog.tsx";
import styles from "./resolve-dialog.module.css";
import { useUnconfirmed } from "./unconfirmed-facts.ts";
import { type Offer, useResolving } from "./use-resolving.ts";

/**
 * The actions for an unconfirmed run, each with an explanation. For a run that failed in doubt,
 * only the checks at its provider.
 */
export function ResolveDialog({
  run,
  open,
  onOpenChange,
}: {
  run: Run;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
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
  const choices = offers.map((each) => ({
    offer: each,
    label: t(`run.resolve.${each}`),
    hint: t(`run.resolve.${each}.hint`, { provider: unconfirmed.provider }),
    children: (
      <>
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
      </>
    ),
  }));
  return (
    <OfferDialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={
        isOpen
          ? `${unconfirmed.words ?? t("ui.loading")} ${t("run.resolve.intro", { provider: unconfirmed.provider })}`
          : t("run.look.refused", { provider: unconfirmed.provider })
      }
      label={title}
      choices={choices}
      chosen={offer}
      onChoose={choose}
      confirm={{
        label: t(
          resolving.isRepeated
            ? "run.resolve.attach.anyway"
            : `run.resolve.${offer ?? (isOpen ? "not-made" : "attach")}.confirm`,
        ),
        isIncomplete: resolving.isIncomplete,
        isPending: resolving.isPending,
        start: confirm,
      }}
      below={
        conversationId && (
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
        )
      }
    />
  );
}
