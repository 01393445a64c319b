import { type ReactNode, useMemo } from "react";
import type { Model } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { AssetTile } from "../../components/asset/asset-tile.tsx";
import { ModelLine, modelLineClass } from "../../components/model/model-line.tsx";
import { listOfAssets, useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { isSameModel, toModelPath } from "../../data/model-ref.ts";
import type { UsedModelFilter } from "../../data/queries/models.queries.ts";
import { formatDuration } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import { ListMore, type ListMoreProps } from "../../ui/lists/list-more.tsx";
import { ModelCard, ModelLink } from "./model-card.tsx";
import { StarButton } from "./star-button.tsx";
import { SuggestedModels } from "./suggested-models.tsx";
import { mayJoin, mostTried } from "./try/trial.ts";
import styles from "./used-models.module.css";

export type UsedModel = RouteOutput<"listUsedModels">["models"][number];

/** Widths of a card's first picture and of the other pictures, in px. */
const [firstPx, otherPx] = [240, 120];

/**
 * The gallery: each model's results in this project, then the used models whose results aren't
 * pictures, then some models not used here.
 */
export function UsedModels({
  used,
  query,
  filter,
  chosen,
  onChoose,
  empty,
}: {
  used: readonly UsedModel[];
  query: ListMoreProps["query"];
  filter: UsedModelFilter;
  /** The models selected for trying a prompt; without this prop, nothing can be selected. */
  chosen: readonly Model[] | undefined;
  onChoose: (chosen: readonly Model[]) => void;
  /** Shown if there is no model at all. */
  empty: ReactNode;
}) {
  useViewerList(useMemo(() => listOfAssets(used.flatMap(({ assets }) => assets)), [used]));
  const choiceOf = (model: Model) =>
    chosen && mayJoin(model, []) ? (
      <TryBox model={model} chosen={chosen} onChoose={onChoose} />
    ) : null;
  const seen = used.filter(({ assets }) => assets.length > 0);
  const others = used.filter(({ assets }) => assets.length === 0);
  return (
    <div className={styles.scroller}>
      {seen.length > 0 && (
        <ul className={styles.cards} aria-label={t("models.here")}>
          {seen.map((one) => (
            <UsedCard key={toModelPath(one.model)} used={one} choice={choiceOf(one.model)} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <section className={styles.others} aria-labelledby="models-other">
          <h2 id="models-other">{t("models.here.other")}</h2>
          <ul>
            {others.map(({ model }) => (
              <li key={toModelPath(model)} data-row className={styles.row}>
                <ModelLink model={model} className={modelLineClass}>
                  <ModelLine model={model} wide />
                </ModelLink>
                <StarButton model={model} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <ListMore query={query} of={t("models.here")} />
      {!query.hasNextPage && (
        <SuggestedModels
          filter={filter}
          used={used.map(({ model }) => model)}
          choiceOf={choiceOf}
          empty={empty}
        />
      )}
    </div>
  );
}

type TryBoxProps = {
  model: Model;
  chosen: readonly Model[];
  onChoose: (chosen: readonly Model[]) => void;
};

/** Selects a model to be tried with others of its task, four at most. */
function TryBox({ model, chosen, onChoose }: TryBoxProps) {
  const isChosen = chosen.some((one) => isSameModel(one, model));
  return (
    <Checkbox
      aria-label={t("models.try.choose", { name: model.name })}
      checked={isChosen}
      disabled={!isChosen && (chosen.length >= mostTried || !mayJoin(model, chosen))}
      onCheckedChange={(isOn) =>
        onChoose(isOn ? [...chosen, model] : chosen.filter((one) => !isSameModel(one, model)))
      }
    />
  );
}

function UsedCard({
  used: { model, assets, medianMs, runs },
  choice,
}: {
  used: UsedModel;
  choice: ReactNode;
}) {
  return (
    <ModelCard
      model={model}
      choice={choice}
      heading="h2"
      face={
        <ul
          className={styles.samples}
          data-count={assets.length}
          aria-label={t("models.here.samples", { name: model.name })}
        >
          {assets.map((asset, index) => (
            <li key={asset.id}>
              <AssetTile
                asset={asset}
                href={`/library/${asset.id}`}
                width={index === 0 ? firstPx : otherPx}
                hasToolbar
              />
            </li>
          ))}
        </ul>
      }
      time={
        medianMs !== null && (
          <span title={t("models.here.timeHint", { count: runs })}>
            {t("models.here.time", { time: formatDuration(medianMs) })}
          </span>
        )
      }
    />
  );
}
