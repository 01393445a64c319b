import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Asset, Run } from "#contract/entities.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { AssetTile } from "../../components/asset/asset-tile.tsx";
import { RunShelf } from "../../components/run/run-shelf.tsx";
import { batchesQuery } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import styles from "./home.module.css";

const shownMost = 5;
const tilePx = 220;

/** The project's running runs, and what was made with Home's composer since it was opened: results, and runs that ended without one. */
export function Now({ runs, made }: { runs: readonly Run[]; made: readonly string[] }) {
  const { project } = useSession();
  const { data } = useInfiniteQuery({ ...batchesQuery(project.id), enabled: made.length > 0 });
  const batches = (data?.pages ?? [])
    .flatMap((page) => page.batches)
    .filter(({ id }) => made.includes(id));
  const assets = batches.flatMap((batch) => batch.assets);
  const withAssets = new Set(assets.map(({ runId }) => runId));
  const open = new Set(runs.map(({ id }) => id));
  // Feed and list of open runs are told one after the other: a run that just ended is in one of them.
  const own = batches
    .flatMap((batch) => batch.runs)
    .filter(({ id, state }) => !open.has(id) && !withAssets.has(id) && state !== "unconfirmed");
  const ended = own.filter(({ state }) => isFinal(state));
  // The oldest finish first.
  const oldest = [...runs].sort((a, b) => a.createdAt - b.createdAt);
  const listed = [...ended, ...oldest.filter(({ batchId }) => isIn(made, batchId))];
  const others = oldest.filter(({ batchId }) => !isIn(made, batchId)).slice(0, shownMost);
  if (listed.length + others.length + assets.length === 0) return null;
  return (
    <div className={styles.now}>
      {listed.length + others.length > 0 && (
        <RunShelf title={t("home.now")} aside={runs.length} runs={[...listed, ...others]} />
      )}
      {assets.length > 0 && <MadeHere assets={assets} />}
    </div>
  );
}

const isIn = (made: readonly string[], batchId: string | null): boolean =>
  batchId !== null && made.includes(batchId);

/** Results in the place where they were asked for. */
function MadeHere({ assets }: { assets: readonly Asset[] }) {
  return (
    <section className={styles.section} aria-label={t("home.made")}>
      <h2 className={styles.title}>
        {t("home.made")}
        <Link to="/create" search={{ made: assets[0]?.runId ?? undefined }}>
          {t("home.made.form")}
        </Link>
      </h2>
      <ul className={styles.made}>
        {assets.map((asset) => (
          <li
            key={asset.id}
            style={{ aspectRatio: asset.width && asset.height ? asset.width / asset.height : 1 }}
          >
            <AssetTile asset={asset} href={`/library/${asset.id}`} width={tilePx} hasActs />
          </li>
        ))}
      </ul>
    </section>
  );
}
