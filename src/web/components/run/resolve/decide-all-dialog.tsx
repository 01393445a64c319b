import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { useModelName } from "../../../data/queries/activity.queries.ts";
import { formatMoney, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { List } from "../../../ui/lists/list.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { priceOf } from "../run-facts.ts";
import { useRunTitle } from "../run-title.ts";
import styles from "./decide-all-dialog.module.css";
import { OfferDialog } from "./offer-dialog.tsx";
import { type OfferForAll, useDecideAll } from "./use-decide-all.ts";

const offers: readonly OfferForAll[] = ["look", "not-made", "made-elsewhere"];

type DecideAllDialogProps = {
  runs: readonly Run[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Several unconfirmed runs in one list, and the actions on the selected ones. */
export function DecideAllDialog({ runs, open, onOpenChange }: DecideAllDialogProps) {
  const toast = useToast();
  const decideAll = useDecideAll();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [offer, setOffer] = useState<OfferForAll | null>(null);
  const chosen = runs.filter(({ id }) => !left.has(id));
  const confirm = () => {
    if (!offer) return;
    // Not the mutation's own callback: the feed may remove the last run, and this dialog with it,
    // before the answer arrives.
    void decideAll.mutateAsync({ runs: chosen, offer }).then(
      ({ changed, failed, reason }) => {
        const text = t(offer === "look" ? "run.resolveAll.found" : "run.resolveAll.done", {
          count: changed,
        });
        if (failed > 0)
          toast({
            text: t("run.resolveAll.failed", { count: failed, reason: reason ?? "" }),
            kind: "error",
          });
        else toast({ text });
        if (failed === 0 && changed > 0) onOpenChange(false);
      },
      () => undefined,
    );
  };
  return (
    <OfferDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t("run.resolveAll.title", { count: runs.length })}
      description={t("run.resolveAll.intro")}
      label={t("run.decide.all")}
      choices={offers.map((each) => ({
        offer: each,
        label: t(each === "look" ? "run.resolve.look" : `run.resolveAll.${each}`),
        hint: t(`run.resolveAll.${each}.hint`),
      }))}
      chosen={offer}
      onChoose={setOffer}
      confirm={{
        label:
          offer === "look"
            ? t("run.resolveAll.look.confirm")
            : t("run.resolveAll.close", { count: chosen.length }),
        isIncomplete: chosen.length === 0,
        isPending: decideAll.isPending,
        start: confirm,
      }}
      above={
        <List label={t("run.resolveAll.runs")} className={styles.runs}>
          {runs.map((run) => (
            <UnconfirmedRun
              key={run.id}
              run={run}
              isChosen={!left.has(run.id)}
              onChoose={(isChosen) =>
                setLeft(
                  (before) =>
                    new Set(
                      isChosen ? [...before].filter((id) => id !== run.id) : [...before, run.id],
                    ),
                )
              }
            />
          ))}
        </List>
      }
    />
  );
}

function UnconfirmedRun({
  run,
  isChosen,
  onChoose,
}: {
  run: Run;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}) {
  const title = useRunTitle(run);
  const model = useModelName(run);
  return (
    <li className={styles.run}>
      <Checkbox checked={isChosen} onCheckedChange={onChoose} label={title} />
      <span className={styles.facts}>
        <Link to="/activity/$runId" params={{ runId: run.id }}>
          {model}
        </Link>
        {` · ${
          run.heldMicros > 0
            ? t("run.resolveAll.upTo", { amount: formatMoney(run.heldMicros) })
            : formatPrice(priceOf(run))
        } · `}
        <Time at={run.createdAt} />
      </span>
    </li>
  );
}
