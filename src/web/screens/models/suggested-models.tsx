import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Model } from "#contract/entities.ts";
import { taskIcon } from "../../components/model/task-icon.ts";
import { toModelPath } from "../../data/model-ref.ts";
import {
  suggestedModelsQuery,
  type UsedModelFilter,
  withoutModels,
} from "../../data/queries/models.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { ModelCard } from "./model-card.tsx";
import styles from "./used-models.module.css";

/** This server's address for a provider's picture. */
const sampleUrl = (projectId: string, { connectionId, modelId }: Model): string =>
  `/api/v1/models/${connectionId}/sample?${new URLSearchParams({ projectId, model: modelId })}`;

type SuggestedModelsProps = {
  filter: UsedModelFilter;
  used: readonly Model[];
  choiceOf: (model: Model) => ReactNode;
  /** Shown if there is no model at all. */
  empty: ReactNode;
};

/** Models not yet used here, first those with a sample picture from their provider. */
export function SuggestedModels({ filter, used, choiceOf, empty }: SuggestedModelsProps) {
  const { project } = useSession();
  const listed = useQuery(suggestedModelsQuery(project.id, filter));
  if (listed.isPending) return <Loading />;
  if (listed.isError && !listed.data)
    return (
      <ErrorState
        compact={used.length > 0}
        error={listed.error}
        onRetry={() => void listed.refetch()}
      />
    );
  const models = withoutModels(listed.data, used);
  if (models.length === 0) return used.length === 0 ? empty : null;
  return (
    <section className={styles.suggested} aria-labelledby="models-suggested">
      <h2 id="models-suggested">{t("models.suggested")}</h2>
      <ul className={styles.cards}>
        {models.map((model) => (
          <ModelCard
            key={toModelPath(model)}
            model={model}
            face={<Sample projectId={project.id} model={model} />}
            time={<span>{t("models.suggested.unused")}</span>}
            choice={choiceOf(model)}
            heading="h3"
          />
        ))}
      </ul>
    </section>
  );
}

/**
 * A model's sample picture from its provider. Without one, and if it can't be loaded, the task's
 * icon takes its place.
 */
function Sample({ projectId, model }: { projectId: string; model: Model }) {
  const [isLost, setLost] = useState(false);
  const Icon = taskIcon(model.tasks[0] ?? "image");
  const { sample } = model.capabilities;
  return (
    <div className={styles.sample}>
      {!sample || isLost ? (
        <Icon aria-hidden />
      ) : (
        <>
          <img
            src={sampleUrl(projectId, model)}
            alt=""
            loading="lazy"
            onError={() => setLost(true)}
          />
          <span>{t("models.suggested.from", { name: model.connectionName })}</span>
        </>
      )}
    </div>
  );
}

const places = ["a", "b", "c", "d", "e", "f"];

/** Cards in the final size, so that nothing moves when the models arrive. */
const Loading = () => (
  <ul className={styles.cards} role="status" aria-busy aria-label={t("ui.loading")}>
    {places.map((place) => (
      <li key={place} className={styles.coming}>
        <Skeleton width="52%" />
        <Skeleton width="34%" height={11} />
      </li>
    ))}
  </ul>
);
