import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import { groupBy } from "../../data/group-by.ts";
import { formatCount, formatDay } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { BatchRow } from "./list/batch-row.tsx";
import { groupBatches } from "./list/group-batches.ts";
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
        {groupBatches(runs).map((group) =>
          group.length > 1 ? (
            <BatchRow key={group.at(-1)?.id} runs={group} />
          ) : (
            <RunRow key={group[0].id} run={group[0]} />
          ),
        )}
      </ul>
    </section>
  );
}

/** Ended runs, with a heading for each day. */
export function RunDays({ runs }: { runs: readonly Run[] }) {
  const now = useNow();
  const days = groupBy(runs, (run) => formatDay(run.createdAt, now));
  return [...days].map(([day, ofDay]) => <RunShelf key={day} title={day} runs={ofDay} />);
}

export function MoreButton({
  label = t("run.more"),
  onMore,
  busy,
}: {
  label?: string | undefined;
  onMore: () => void;
  busy: boolean;
}) {
  return (
    <div className={styles.more}>
      <Button busy={busy} onClick={onMore}>
        {label}
      </Button>
    </div>
  );
}
