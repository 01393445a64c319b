import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Model } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { AssetTile } from "../../components/asset/asset-tile.tsx";
import { ModelLine, modelLineClass } from "../../components/model/model-line.tsx";
import { ModelMarks } from "../../components/model/model-marks.tsx";
import { ModelModalities } from "../../components/model/model-modalities.tsx";
import { pricesText } from "../../components/model/price-text.ts";
import { listOfAssets, useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { isSameModel, toModelPath } from "../../data/model-ref.ts";
import type { UsedModelFilter } from "../../data/queries/models.queries.ts";
import { formatDuration } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import { Card } from "../../ui/display/card.tsx";
import { ListMore, type ListMoreProps } from "../../ui/lists/list-more.tsx";
import { SampledModels } from "./sampled-models.tsx";
import { StarButton } from "./star-button.tsx";
import { mayJoin, mostTried } from "./try/trial.ts";
import styles from "./used-models.module.css";

export type UsedModel = RouteOutput<"listUsedModels">["models"][number];

/** Widths of a card's first picture and of the other pictures, in px. */
const [firstPx, otherPx] = [240, 120];

/**
 * Each model's results in this project, and below them the models whose results aren't pictures.
 */
export function UsedModels({
  used,
  query,
  filter,
  chosen,
  onChoose,
}: {
  used: readonly UsedModel[];
  query: ListMoreProps["query"];
  filter: UsedModelFilter;
  /** The models selected for trying a prompt; without this prop, nothing can be selected. */
  chosen: readonly Model[] | undefined;
  onChoose: (chosen: readonly Model[]) => void;
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
            <ModelCard key={toModelPath(one.model)} used={one} choice={choiceOf(one.model)} />
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
        <SampledModels filter={filter} used={used.map(({ model }) => model)} choiceOf={choiceOf} />
      )}
    </div>
  );
}

type ModelLinkProps = {
  model: UsedModel["model"];
  className?: string;
  children: React.ReactNode;
};
const ModelLink = ({ model, ...rest }: ModelLinkProps) => (
  <Link
    {...rest}
    to="/models/$"
    params={{ _splat: toModelPath(model) }}
    search={(before) => before}
  />
);

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

function ModelCard({
  used: { model, assets, medianMs, runs },
  choice,
}: {
  used: UsedModel;
  choice: ReactNode;
}) {
  return (
    <Card as="li" data-row className={styles.card}>
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
            />
          </li>
        ))}
      </ul>
      <div className={styles.words}>
        <h2 className={styles.name}>
          <ModelLink model={model}>{model.name}</ModelLink>
          <ModelMarks model={model} />
        </h2>
        <span className={styles.marks}>
          {choice}
          <StarButton model={model} />
        </span>
      </div>
      <p className={styles.from}>{model.connectionName}</p>
      <p className={styles.facts}>
        <span>{pricesText(model.prices)}</span>
        {medianMs !== null && (
          <span title={t("models.here.timeHint", { count: runs })}>
            {t("models.here.time", { time: formatDuration(medianMs) })}
          </span>
        )}
      </p>
      <div className={styles.takes}>
        <ModelModalities model={model} />
      </div>
    </Card>
  );
}
