import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Asset, ModelRef } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import { assetModelsQuery, type Layout } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "./gallery.module.css";

/**
 * The loaded assets. Headings read them from a context, so that a newly loaded page doesn't lay out
 * the grid again.
 */
export const LoadedContext = createContext<{ at: (index: number) => Asset | undefined }>({
  at: () => undefined,
});

type GroupHeadingProps = Layout["groups"][number] & { start: number; isByModel: boolean };

/** A group's heading: its model, or its prompt. */
export function GroupHeading({ start, count, model, isByModel }: GroupHeadingProps) {
  return (
    <h2 className={styles.day}>
      <span className={styles.group}>
        {isByModel ? <ModelName model={model} /> : <BatchName start={start} />}
      </span>
      <small>{formatCount(count)}</small>
    </h2>
  );
}

function ModelName({ model }: { model: ModelRef | null }) {
  const { project } = useSession();
  const { data } = useQuery(assetModelsQuery(project.id));
  if (!model) return t("library.group.noModel");
  return data?.models.find((one) => isSameModel(one, model))?.name ?? model.modelId;
}

function BatchName({ start }: { start: number }) {
  const first = useContext(LoadedContext).at(start);
  if (!first) return t("ui.loading");
  if (first.runId === null) return t("library.group.uploads");
  return first.promptText || assetName(first);
}
