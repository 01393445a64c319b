import { Link } from "@tanstack/react-router";
import type { Run } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { ResultTiles } from "../../components/making/result-tiles.tsx";
import type { RunResult } from "../../components/making/use-batch-results.ts";
import { RunShelf } from "../../components/run/run-shelf.tsx";
import { formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { useWidth } from "../../ui/use-width.ts";
import styles from "./home.module.css";

const maxShown = 6;
const [tilePx, phoneTilePx] = [220, 150];

/**
 * Results made with Home's composer since it was opened, and the project's active runs. A result
 * replaces its run; answers and other work without a picture are rows.
 */
export function Now({
  runs,
  made,
  batchIds,
}: {
  runs: readonly Run[];
  made: readonly RunResult[];
  batchIds: readonly string[];
}) {
  const isPhone = useWidth() === "phone";
  // Unconfirmed runs are in the line above.
  const own = made.filter(({ run }) => run.state !== "unconfirmed");
  const ownIds = new Set(own.map(({ run }) => run.id));
  // The oldest runs finish first.
  const others = [...runs]
    .sort((a, b) => a.createdAt - b.createdAt)
    .filter(({ id, batchId }) => !ownIds.has(id) && !(batchId && batchIds.includes(batchId)));
  const tiles: RunResult[] = [
    ...own,
    ...others
      .filter(({ task }) => isMadeByForm(task))
      .slice(0, maxShown)
      .map((run) => ({ run, assets: [] })),
  ];
  const rows = others.filter(({ task }) => !isMadeByForm(task)).slice(0, maxShown);
  const open = [...own.map(({ run }) => run).filter(({ state }) => !isFinal(state)), ...others];
  if (tiles.length + rows.length === 0) return null;
  const title = t(open.length > 0 ? "home.now" : "home.made");
  const last = own.find(({ assets }) => assets.length > 0);
  return (
    <div className={styles.now}>
      {tiles.length > 0 && (
        <section className={styles.section} aria-label={title}>
          <h2 className={styles.title}>
            {title}
            {open.length > 0 && <small>{openText(open)}</small>}
            {last ? (
              <Link to="/create" search={{ made: last.run.id }}>
                {t("home.made.form")}
              </Link>
            ) : (
              others.length > maxShown && (
                <Link to="/activity" search={{ show: "open" }}>
                  {t("home.recent.all")}
                </Link>
              )
            )}
          </h2>
          <ResultTiles label={title} made={tiles} targetHeight={isPhone ? phoneTilePx : tilePx} />
        </section>
      )}
      {rows.length > 0 && (
        <RunShelf
          title={t(tiles.length > 0 ? "home.now.other" : "home.now")}
          aside={tiles.length > 0 ? rows.length : openText(rows)}
          runs={rows}
        />
      )}
    </div>
  );
}

/** "2 running · $0.18", with the reserved amount if there is one. */
function openText(runs: readonly Run[]): string {
  const held = runs.reduce((sum, { heldMicros }) => sum + heldMicros, 0);
  const unpriced = runs.filter(({ heldMicros, isFree }) => heldMicros === 0 && !isFree).length;
  const words = t("home.now.running", { count: runs.length });
  return held > 0 ? `${words} · ${formatSpent(held, unpriced)}` : words;
}
