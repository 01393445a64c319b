import { CircleHelp, Play, Repeat, RotateCw, SlidersHorizontal, X } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { isEpochReason } from "#contract/waiting-reasons.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { t } from "../../../messages/t.ts";
import { ResolveButton } from "../resolve/resolve-button.tsx";
import { useRemakePrice } from "../use-remake-price.ts";
import { useRunActions } from "../use-run-actions.ts";
import { CreateLink } from "./create-link.tsx";

/** The actions on a run in its state, shared by all screens that show a whole run. */
export function RunActions({ run }: { run: Run }) {
  const { canEdit, goOn, cancel, retry, makeAgain, canChange } = useRunActions(run);
  const { again, isGone } = useRemakePrice(canEdit && makeAgain ? run : null);
  if (!canEdit) return null;
  return (
    <>
      {run.state === "unconfirmed" && (
        <ResolveButton variant="primary" icon={CircleHelp} runs={[run]} />
      )}
      {goOn && (
        <ActionButton
          action="run.goOn"
          variant="primary"
          icon={Play}
          busy={goOn.isPending}
          onClick={goOn.start}
        >
          {t("run.goOn", { isHeld: String(isEpochReason(run.waitingFor)) })}
        </ActionButton>
      )}
      {cancel && (
        <ActionButton action="run.cancel" icon={X} busy={cancel.isPending} onClick={cancel.start}>
          {t("run.cancel")}
        </ActionButton>
      )}
      {retry && (
        <ActionButton
          action="run.retry"
          variant="primary"
          icon={RotateCw}
          busy={retry.isPending}
          onClick={retry.start}
        >
          {t("run.retry")}
        </ActionButton>
      )}
      {makeAgain && (
        <ActionButton
          action="run.again"
          icon={Repeat}
          busy={makeAgain.isPending}
          disabled={again === null}
          data-tooltip={isGone ? t("run.modelGone") : undefined}
          onClick={makeAgain.start}
        >
          {again === null ? t("run.makeAgain") : t("run.makeAgain.price", { price: again })}
        </ActionButton>
      )}
      {canChange && (
        <CreateLink ask={{ remix: run.id }} icon={SlidersHorizontal} label={t("run.change")} />
      )}
    </>
  );
}
