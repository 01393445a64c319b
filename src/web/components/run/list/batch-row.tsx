import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import { useModelName } from "../../../data/queries/activity.queries.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { formatPrice, sumPrices } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Time } from "../../../ui/display/time.tsx";
import rowStyles from "../../../ui/lists/row-target.module.css";
import { priceOf } from "../run-facts.ts";
import row from "../run-row.module.css";
import { RunRow } from "../run-row.tsx";
import { RunStateTag } from "../run-state.tsx";
import { useRunTitle } from "../run-title.ts";
import { countStates } from "./group-batches.ts";
import styles from "./run-list.module.css";
import { RunPictures } from "./run-pictures.tsx";

/** A batch's runs as one row, which expands. */
export function BatchRow({ runs }: { runs: readonly [Run, ...Run[]] }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const [first] = runs;
  const title = useRunTitle(first);
  const model = useModelName(first);
  const models = new Set(runs.map(({ connectionId, modelId }) => `${connectionId} ${modelId}`));
  const states = countStates(runs);
  const unfold = () => setOpen(!isOpen);
  const at = useRowActions<HTMLButtonElement>(title, [
    {
      id: "unfold",
      title: t(isOpen ? "run.batch.fold" : "run.batch.unfold"),
      icon: ChevronRight,
      run: unfold,
    },
  ]);
  return (
    <>
      <li data-row className={row.row}>
        <RunPictures runs={runs} />
        <span className={classes(row.state, styles.states)}>
          {states.map(([run, count]) => (
            <span key={run.state}>
              <RunStateTag run={run} />
              {states.length > 1 && <small> {t("run.batch.count", { count })}</small>}
            </span>
          ))}
        </span>
        <span className={row.words}>
          <button
            ref={at}
            type="button"
            className={classes(styles.unfold, rowStyles.target)}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={unfold}
          >
            <ChevronRight aria-hidden />
            <span>{title}</span>
          </button>
          <span className={row.detail}>
            {[
              models.size > 1 ? t("run.batch.models", { count: models.size }) : model,
              tasks[first.task].name,
              t("run.batch.runs", { count: runs.length }),
            ].join(" · ")}
          </span>
        </span>
        <span className={row.price}>{formatPrice(sumPrices(runs.map(priceOf)))}</span>
        <span className={row.when}>
          <Time at={first.createdAt} />
        </span>
        <span className={row.actions} />
      </li>
      <li id={id} hidden={!isOpen} className={styles.within}>
        {isOpen && (
          <ul aria-label={title}>
            {runs.map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </ul>
        )}
      </li>
    </>
  );
}
