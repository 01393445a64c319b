import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { t } from "../../../messages/t.ts";
import type { ButtonProps } from "../../../ui/controls/button.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { useWasOpen } from "../../../ui/overlays/dialog.tsx";
import { PopupPart } from "../../../ui/part.tsx";
import { useRunTitle } from "../run-title.ts";

const ResolveDialog = lazyPart(
  () => import("./resolve-dialog.tsx").then(({ ResolveDialog }) => ResolveDialog),
  "resolve",
);
const DecideAllDialog = lazyPart(
  () => import("./decide-all-dialog.tsx").then(({ DecideAllDialog }) => DecideAllDialog),
  "resolve",
);

type Runs = readonly [Run, ...Run[]];
type ResolveButtonProps = Omit<ButtonProps, "children" | "onClick"> & { runs: Runs };

/** Opens the actions for one or more unconfirmed runs; the same on every screen. */
export function ResolveButton({ runs, ...button }: ResolveButtonProps) {
  const [isOpen, setOpen] = useState(false);
  // The dialog keeps the runs it was opened for while the list behind it changes.
  const [asked, setAsked] = useState(runs);
  const [first = asked[0], ...more] = runs.filter(({ id }) => asked.some((run) => run.id === id));
  const isForAll = runs.length > 1;
  const title = useRunTitle(runs[0]);
  const open = () => {
    setAsked(runs);
    setOpen(true);
  };
  return (
    <>
      <ActionButton
        {...button}
        action={isForAll ? "run.resolve.all" : `run.resolve.${runs[0].id}`}
        actionTitle={isForAll ? undefined : t("run.decide.of", { title })}
        onClick={open}
      >
        {t(isForAll ? "run.decide.all" : "run.decide")}
      </ActionButton>
      <ResolvePopup
        runs={[first, ...more]}
        isForSeveral={asked.length > 1}
        open={isOpen}
        onOpenChange={setOpen}
      />
    </>
  );
}

type ResolvePopupProps = {
  runs: Runs;
  /** Keeps the dialog for several runs even if only one of them is left. */
  isForSeveral?: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** The dialog without its button. */
export function ResolvePopup({ runs, isForSeveral, open, onOpenChange }: ResolvePopupProps) {
  const popup = { open, onOpenChange };
  return (
    useWasOpen(open) && (
      <PopupPart open={open} onClose={() => onOpenChange(false)}>
        {isForSeveral ? (
          <DecideAllDialog runs={runs} {...popup} />
        ) : (
          <ResolveDialog run={runs[0]} {...popup} />
        )}
      </PopupPart>
    )
  );
}
