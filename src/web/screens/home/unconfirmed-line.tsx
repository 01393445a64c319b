import { CircleHelp } from "lucide-react";
import { lazy, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useWasOpen } from "../../ui/overlays/dialog.tsx";
import { PopupPart } from "../../ui/part.tsx";
import styles from "./home.module.css";

const ResolveDialog = lazy(() =>
  import("../../components/run/resolve/resolve-dialog.tsx").then(({ ResolveDialog }) => ({
    default: ResolveDialog,
  })),
);
const DecideAllDialog = lazy(() =>
  import("../../components/run/resolve/decide-all-dialog.tsx").then(({ DecideAllDialog }) => ({
    default: DecideAllDialog,
  })),
);

/** Every unconfirmed run in one line, with what they may have cost and the way to decide. Its room is kept while there is none. */
export function UnconfirmedLine({ runs }: { runs: readonly Run[] }) {
  const [first] = runs;
  return (
    <div className={styles.unconfirmedPlace}>{first && <Line runs={runs} first={first} />}</div>
  );
}

function Line({ runs, first }: { runs: readonly Run[]; first: Run }) {
  const { project } = useSession();
  const [isDeciding, setDeciding] = useState(false);
  const wasOpen = useWasOpen(isDeciding);
  // The dialog keeps the run it was opened for while the list behind it changes.
  const [asked, setAsked] = useState<readonly Run[]>(runs);
  const held = runs.reduce((sum, run) => sum + run.heldMicros, 0);
  const unpriced = runs.filter(({ heldMicros, isFree }) => heldMicros === 0 && !isFree).length;
  const decide = () => {
    setAsked(runs);
    setDeciding(true);
  };
  const shown = { open: isDeciding, onOpenChange: setDeciding };
  return (
    <section className={styles.unconfirmed} aria-label={t("home.unconfirmed.label")}>
      <CircleHelp aria-hidden />
      <p>
        <strong>{t("home.unconfirmed", { count: runs.length })}</strong>{" "}
        <span>
          {held > 0
            ? t("home.unconfirmed.upTo", { amount: formatMoney(held), unpriced })
            : t("home.unconfirmed.check")}
        </span>
      </p>
      {project.role !== "viewer" && (
        <Button size="small" onClick={decide}>
          {t(runs.length > 1 ? "run.decide.all" : "run.decide")}
        </Button>
      )}
      {wasOpen && (
        <PopupPart open={isDeciding} onClose={() => setDeciding(false)}>
          {asked.length > 1 ? (
            <DecideAllDialog runs={asked} {...shown} />
          ) : (
            <ResolveDialog run={asked[0] ?? first} {...shown} />
          )}
        </PopupPart>
      )}
    </section>
  );
}
