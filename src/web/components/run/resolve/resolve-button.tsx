import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { Button, type ButtonProps } from "../../../ui/controls/button.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { useWasOpen } from "../../../ui/overlays/dialog.tsx";
import { PopupPart } from "../../../ui/part.tsx";

const ResolveDialog = lazyPart(() =>
  import("./resolve-dialog.tsx").then(({ ResolveDialog }) => ResolveDialog),
);
const DecideAllDialog = lazyPart(() =>
  import("./decide-all-dialog.tsx").then(({ DecideAllDialog }) => DecideAllDialog),
);

type ResolveButtonProps = Omit<ButtonProps, "children" | "onClick"> & {
  runs: readonly [Run, ...Run[]];
};

/** Opens what can be done about one unconfirmed run, or about several at once: the same on every screen. */
export function ResolveButton({ runs, ...button }: ResolveButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useWasOpen(isOpen);
  // The dialog stays with the runs it was opened for while the list behind it changes.
  const [asked, setAsked] = useState(runs);
  const [first = asked[0], ...more] = runs.filter(({ id }) => asked.some((run) => run.id === id));
  const open = () => {
    setAsked(runs);
    setOpen(true);
  };
  return (
    <>
      <Button {...button} onClick={open}>
        {t(runs.length > 1 ? "run.decide.all" : "run.decide")}
      </Button>
      {wasOpen && (
        <PopupPart open={isOpen} onClose={() => setOpen(false)}>
          {asked.length > 1 ? (
            <DecideAllDialog runs={[first, ...more]} open={isOpen} onOpenChange={setOpen} />
          ) : (
            <ResolveDialog run={first} open={isOpen} onOpenChange={setOpen} />
          )}
        </PopupPart>
      )}
    </>
  );
}
