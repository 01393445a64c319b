import { CircleHelp } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { ResolveButton } from "../../components/run/resolve/resolve-button.tsx";
import { useSession } from "../../data/shell-data.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import styles from "./home.module.css";

/** All unconfirmed runs on one line, with their possible cost and a button to resolve them. */
export function UnconfirmedLine({ runs }: { runs: readonly Run[] }) {
  const [first, ...more] = runs;
  return first && <Line runs={[first, ...more]} />;
}

function Line({ runs }: { runs: readonly [Run, ...Run[]] }) {
  const { project } = useSession();
  const held = runs.reduce((sum, run) => sum + run.heldMicros, 0);
  const unpriced = runs.filter(({ heldMicros, isFree }) => heldMicros === 0 && !isFree).length;
  return (
    <section className={styles.needs} aria-label={t("home.unconfirmed.label")}>
      <CircleHelp aria-hidden />
      <p>
        <strong>{t("home.unconfirmed", { count: runs.length })}</strong>{" "}
        <span>
          {held > 0
            ? t("home.unconfirmed.upTo", { amount: formatMoney(held), unpriced })
            : t("run.unconfirmed.check")}
        </span>
      </p>
      {project.role !== "viewer" && <ResolveButton size="small" runs={runs} />}
    </section>
  );
}
