import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import { groupBy } from "../../data/group-by.ts";
import { formatCount, formatDay } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { RunRow } from "./run-row.tsx";
import styles from "./run-shelf.module.css";

type RunShelfProps = {
  title: string;
  aside?: ReactNode;
  intro?: string;
  runs: readonly Run[];
};

/** Runs under a heading. */
export function RunShelf({ title, aside, intro, runs }: RunShelfProps) {
  return (
    <section className={styles.shelf}>
      <h2 className={styles.title}>
        {title}
        <small>{aside ?? formatCount(runs.length)}</small>
      </h2>
      {intro && <p className={styles.intro}>{intro}</p>}
      <ul>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

/** Ended runs, a heading for each day. */
export function RunDays({ runs }: { runs: readonly Run[] }) {
  const now = useNow();
  const days = groupBy(runs, (run) => formatDay(run.createdAt, now));
  return [...days].map(([day, ofDay]) => <RunShelf key={day} title={day} runs={ofDay} />);
}

export function MoreButton({ onMore, busy }: { onMore: () => void; busy: boolean }) {
  return (
    <div className={styles.more}>
      <Button busy={busy} onClick={onMore}>
        {t("run.more")}
      </Button>
    </div>
  );
}
