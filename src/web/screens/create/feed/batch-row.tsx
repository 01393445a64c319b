import { CircleX } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { useCompareAction } from "../../../components/compare/use-compare-action.ts";
import { MadeTile } from "../../../components/run/tile/made-tile.tsx";
import { RunTile } from "../../../components/run/tile/run-tile.tsx";
import { isSameModel, toModelPath } from "../../../data/model-ref.ts";
import type { FeedBatch } from "../../../data/queries/create.queries.ts";
import { useCancelRun } from "../../../data/run-change.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { expectedOutputs } from "../recipe-of.ts";
import { batchTitle, costText, countText, ratioOf, seedText, timeText } from "./batch-text.ts";
import styles from "./feed.module.css";
import type { FeedActions } from "./feed-actions.ts";
import { type ModelOf, useModelsOf } from "./use-models-of.ts";

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
    open.length > 0 ? countText(batch.runs) : "",
    seedText(batch.runs),
    costText(batch.runs, models),
    timeText(batch.runs),
  ];
  const title = batchTitle(batch);
  const compare = useCompareAction(batch.assets.map(({ id }) => id));
  const cancel = open.length > 0 && {
    id: "cancel",
    title: t("create.cancel.batch", { count: open.length }),
    icon: CircleX,
    isPending: false,
    run: cancelOpen,
  };
  const acts = actions.mayEdit
    ? [compare, cancel].filter((act) => act !== null && act !== false)
    : [];
  const at = useRowActions<HTMLElement>(
    title,
    acts.filter(({ isPending }) => !isPending),
  );
  const isSound = batch.assets.length > 0 && batch.assets.every(({ kind }) => kind === "audio");
  const ratio = isSound ? undefined : ratioOf(batch);
  return (
    <section ref={at} data-row className={styles.batch} aria-label={title}>
      <header className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <p className={styles.facts}>
          <span>
            {models.map((one, place) => (
              <Fragment key={toModelPath(one)}>
                {place > 0 && ", "}
                <ModelName {...one} />
              </Fragment>
            ))}
          </span>
          {facts.filter(Boolean).map((fact) => (
            <span key={fact}> · {fact}</span>
          ))}
          <span>
            {" "}
            · <Time at={batch.createdAt} />
          </span>
        </p>
        {acts.map(({ id, title: label, icon, isPending, run }) => (
          <IconButton
            key={id}
            size="small"
            icon={icon}
            label={label}
            disabled={isPending}
            onClick={run}
          />
        ))}
      </header>
      {models.map((one) => {
        const runs = batch.runs.filter((run) => isSameModel(one, run));
        return (
          <Fragment key={toModelPath(one)}>
            {models.length > 1 && (
              <h3 className={styles.madeBy}>
                <ModelName {...one} />
                <span> · {costText(runs, models)}</span>
              </h3>
            )}
            <Tiles {...{ batch, runs, actions, selection, ratio, isSound }} />
          </Fragment>
        );
      })}
    </section>
  );
}

const ModelName = ({ model, modelId, isLoading }: ModelOf) =>
  isLoading ? (
    <Skeleton className={styles.name} width={84} height={11} />
  ) : (
    (model?.name ?? modelId)
  );

/** The most runs shown at once; the others are shown on request. */
const maxRuns = 48;

type TilesProps = {
  batch: FeedBatch;
  runs: readonly Run[];
  actions: FeedActions;
  selection: Selection;
  ratio: number | undefined;
  isSound: boolean;
};

/** A tile for each file of these runs, and one for each run without files. */
function Tiles({ batch, runs, actions, selection, ratio, isSound }: TilesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? runs : runs.slice(0, maxRuns);
  return (
    <>
      <ul className={isSound ? styles.sounds : styles.tiles}>
        {shown.flatMap((run) => {
          const caption = run.expansion?.values.join(", ") || null;
          const assets = batch.assets.filter((asset) => asset.runId === run.id);
          if (assets.length > 0) {
            return assets.map((asset) => (
              <Place key={asset.id} ratio={ratio} caption={caption}>
                <MadeTile
                  asset={asset}
                  width={tilePx}
                  ratio={ratio}
                  isSelected={selection.assetId === asset.id}
                  onInspect={() => actions.selectAsset(asset.id, run)}
                />
              </Place>
            ));
          }
          const places = isFinal(run.state) ? 1 : expectedOutputs(run);
          return Array.from({ length: places }, (_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what it is
            <Place key={`${run.id} ${place}`} ratio={ratio} caption={caption}>
              {place === 0 ? (
                <RunTile run={run} actions={actions} isSelected={selection.runId === run.id} />
              ) : (
                <div className={styles.promised} aria-hidden />
              )}
            </Place>
          ));
        })}
      </ul>
      {shown.length < runs.length && (
        <Chip className={styles.all} onClick={() => setWhole(true)}>
          {t("create.tiles.all", { count: formatCount(runs.length) })}
        </Chip>
      )}
    </>
  );
}

/** A tile in its place, with the options that its prompt expanded to. */
function Place({
  ratio,
  caption,
  children,
}: {
  ratio: number | undefined;
  caption: string | null;
  children: ReactNode;
}) {
  if (caption === null) return <li style={{ aspectRatio: ratio }}>{children}</li>;
  return (
    <li>
      <div className={styles.place} style={{ aspectRatio: ratio }}>
        {children}
      </div>
      <p className={styles.caption} title={caption}>
        {caption}
      </p>
    </li>
  );
}
