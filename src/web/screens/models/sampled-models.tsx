import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Model } from "#contract/entities.ts";
import { ModelModalities } from "../../components/model/model-modalities.tsx";
import { pricesText } from "../../components/model/price-text.ts";
import { taskIcon } from "../../components/model/task-icon.ts";
import { toModelPath } from "../../data/model-ref.ts";
import {
  sampledModelsQuery,
  type UsedModelFilter,
  withoutModels,
} from "../../data/queries/models.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Card } from "../../ui/display/card.tsx";
import { StarButton } from "./star-button.tsx";
import styles from "./used-models.module.css";

/** This server's address for a provider's picture. */
const sampleUrl = (projectId: string, { connectionId, modelId }: Model): string =>
  `/api/v1/models/${connectionId}/sample?${new URLSearchParams({ projectId, model: modelId })}`;

/** Models not yet used here, with their providers' sample pictures. */
export function SampledModels({
  filter,
  used,
  choiceOf,
}: {
  filter: UsedModelFilter;
  used: readonly Model[];
  choiceOf: (model: Model) => ReactNode;
}) {
  const { project } = useSession();
  const listed = useQuery(sampledModelsQuery(project.id, filter)).data ?? [];
  const models = withoutModels(listed, used);
  if (models.length === 0) return null;
  return (
    <section className={styles.sampled} aria-labelledby="models-sampled">
      <h2 id="models-sampled">{t("models.sampled")}</h2>
      <ul className={styles.cards}>
        {models.map((model) => (
          <Card as="li" data-row key={toModelPath(model)} className={styles.card}>
            <Sample projectId={project.id} model={model} />
            <div className={styles.words}>
              <h3 className={styles.name}>
                <Link
                  to="/models/$"
                  params={{ _splat: toModelPath(model) }}
                  search={(before) => before}
                >
                  {model.name}
                </Link>
              </h3>
              <span className={styles.marks}>
                {choiceOf(model)}
                <StarButton model={model} />
              </span>
            </div>
            <p className={styles.from}>{model.connectionName}</p>
            <p className={styles.facts}>
              <span>{pricesText(model.prices)}</span>
              <span>{t("models.sampled.unused")}</span>
            </p>
            <div className={styles.takes}>
              <ModelModalities model={model} />
            </div>
          </Card>
        ))}
      </ul>
    </section>
  );
}

/**
 * A model's sample picture from its provider. If it can't be loaded, the task's icon replaces it,
 * so that no card moves.
 */
function Sample({ projectId, model }: { projectId: string; model: Model }) {
  const [isLost, setLost] = useState(false);
  const Icon = taskIcon(model.tasks[0] ?? "image");
  return (
    <div className={styles.sample}>
      {isLost ? (
        <Icon aria-hidden />
      ) : (
        <>
          <img
            src={sampleUrl(projectId, model)}
            alt=""
            loading="lazy"
            onError={() => setLost(true)}
          />
          <span>{t("models.sampled.from", { name: model.connectionName })}</span>
        </>
      )}
    </div>
  );
}
