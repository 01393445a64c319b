import { CircleX } from "lucide-react";
import type { ReactNode } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { SoundPlayer } from "../../../components/asset/sound-player.tsx";
import { useViewerAddress } from "../../../components/viewer/viewer-address.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import { useCancelRun } from "../../../data/queries/activity.queries.ts";
import type { FeedBatch } from "../../../data/queries/create.queries.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import {
  batchTitle,
  costWords,
  countWords,
  expectedOutputs,
  ratioOf,
  seedWords,
  timeWords,
} from "./batch-words.ts";
import styles from "./feed.module.css";
import type { FeedActions } from "./feed-actions.ts";
import { RunTile } from "./run-tile.tsx";
import tileStyles from "./tiles.module.css";
import { useModelsOf } from "./use-models-of.ts";

const tilePx = 260;

export type Selection = { assetId: string | undefined; runId: string | undefined };

/** A batch of runs: its prompt, a line of facts, and a tile for each file or run. */
export function BatchRow({
  batch,
  actions,
  selection,
}: {
  batch: FeedBatch;
  actions: FeedActions;
  selection: Selection;
}) {
  const open = batch.runs.filter(
    (run) => !isFinal(run.state) && run.state !== "unconfirmed" && run.cancelRequestedAt === null,
  );
  const cancelRun = useCancelRun();
  const showError = useErrorToast();
  const cancelOpen = () =>
    void Promise.all(open.map(({ id }) => cancelRun.mutateAsync(id))).catch(showError);
  const models = useModelsOf(batch.runs);
  const facts = [
    open.length > 0 ? countWords(batch.runs) : "",
    seedWords(batch.runs),
    costWords(batch.runs, models),
    timeWords(batch.runs),
  ];
  /** Shown under each tile of a batch with several models; otherwise the batch's line names the model. */
  const nameOf = (run: Run): string | null => {
    const known = models.find((one) => isSameModel(one, run));
    return models.length > 1 && known ? (known.model?.name ?? known.modelId) : null;
  };
  const title = batchTitle(batch);
  const isSound = batch.assets.length > 0 && batch.assets.every(({ kind }) => kind === "audio");
  const ratio = isSound ? undefined : ratioOf(batch);
  return (
    <section className={styles.batch} aria-label={title}>
      <header className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <p className={styles.facts}>
          <span>{models.map(({ model, modelId }) => model?.name ?? modelId).join(", ")}</span>
          {facts.filter(Boolean).map((fact) => (
            <span key={fact}> · {fact}</span>
          ))}
          <span>
            {" "}
            · <Time at={batch.createdAt} />
          </span>
        </p>
        {open.length > 0 && actions.mayEdit && (
          <IconButton
            size="small"
            icon={CircleX}
            label={t("create.cancel.batch", { count: open.length })}
            onClick={cancelOpen}
          />
        )}
      </header>
      <ul className={isSound ? styles.sounds : styles.tiles}>
        {batch.runs.flatMap((run) => {
          const assets = batch.assets.filter((asset) => asset.runId === run.id);
          if (assets.length > 0) {
            return assets.map((asset) => (
              <Place key={asset.id} ratio={ratio} madeBy={nameOf(run)}>
                <Made
                  asset={asset}
                  ratio={ratio}
                  actions={actions}
                  isSelected={selection.assetId === asset.id}
                />
              </Place>
            ));
          }
          const places = isFinal(run.state) ? 1 : expectedOutputs(run);
          return Array.from({ length: places }, (_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what it is
            <Place key={`${run.id} ${place}`} ratio={ratio} madeBy={nameOf(run)}>
              {place === 0 ? (
                <RunTile run={run} actions={actions} isSelected={selection.runId === run.id} />
              ) : (
                <div className={styles.promised} aria-hidden />
              )}
            </Place>
          ));
        })}
      </ul>
    </section>
  );
}

/** A tile in its place, with the name of its model. */
function Place({
  ratio,
  madeBy,
  children,
}: {
  ratio: number | undefined;
  madeBy: string | null;
  children: ReactNode;
}) {
  if (madeBy === null) return <li style={{ aspectRatio: ratio }}>{children}</li>;
  return (
    <li>
      <div className={styles.place} style={{ aspectRatio: ratio }}>
        {children}
      </div>
      <p className={styles.madeBy}>{madeBy}</p>
    </li>
  );
}

function Made({
  asset,
  ratio,
  actions,
  isSelected,
}: {
  asset: Asset;
  ratio: number | undefined;
  actions: FeedActions;
  isSelected: boolean;
}) {
  const viewer = useViewerAddress();
  if (asset.kind === "audio")
    return (
      <div className={tileStyles.sound} data-selected={isSelected || undefined}>
        <button
          type="button"
          data-asset={asset.id}
          className={tileStyles.soundTitle}
          onClick={() => viewer.open(asset.id)}
        >
          {assetName(asset)}
        </button>
        <SoundPlayer asset={asset} />
      </div>
    );
  const own = asset.width && asset.height ? asset.width / asset.height : ratio;
  return (
    <AssetTile
      asset={asset}
      href={`/library/${asset.id}`}
      width={tilePx}
      contain={own !== undefined && ratio !== undefined && Math.abs(own / ratio - 1) > 0.04}
      isSelected={isSelected}
      hasActs
      onInspect={() => actions.selectAsset(asset.id)}
    />
  );
}
