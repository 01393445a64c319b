import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { groupBy } from "../../data/group-by.ts";
import { chatModelsQuery, toolModelsQuery } from "../../data/queries/chat.queries.ts";
import { usualModelsQuery, withoutModels } from "../../data/queries/models.queries.ts";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { PickerEmpty, PickerGroups, PickerItem, PickerList } from "../../ui/lists/picker-list.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { exactFirst } from "../model/exact-first.ts";
import { pricesText } from "../model/price-text.ts";
import { isSameModel } from "./default-model.ts";
import styles from "./model-picker.module.css";

export type ModelListProps = {
  projectId: string;
  chosen: Model | null;
  /** Models that are already chosen. */
  without?: readonly ModelRef[];
  onChoose: (model: Model) => void;
  keep?: (model: Model) => boolean;
  /** Defaults to chat models. */
  tasks?: "all";
};

/** Models of all connections, searched on the server. In a separate chunk. */
export function ModelList({
  projectId,
  chosen,
  without = [],
  onChoose,
  keep = () => true,
  tasks,
}: ModelListProps) {
  const [typed, setTyped] = useState("");
  const search = useDebounced(typed.trim());
  const modelsQuery = tasks === "all" ? toolModelsQuery : chatModelsQuery;
  const found = useQuery(modelsQuery(projectId, search));
  const usual = useQuery({ ...usualModelsQuery(projectId, "chat"), enabled: !tasks }).data ?? [];
  const first = search === "" && !tasks ? withoutModels(usual, without).filter(keep) : [];
  const listed = withoutModels(found.data?.models ?? [], [...without, ...first]).filter(keep);
  const groups = groupBy(exactFirst(listed, search), ({ connectionName }) => connectionName);
  return (
    <PickerList
      label={t("chat.model.choose")}
      placeholder={t("chat.model.search")}
      query={typed}
      onQueryChange={setTyped}
      isFiltered
      isBehind={search !== typed.trim() || found.isPlaceholderData || found.isPending}
      initial={chosen ? keyOf(chosen) : undefined}
      foot={!tasks && <Link to="/models">{t("chat.model.all")}</Link>}
    >
      {found.isError && (
        <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
      )}
      {found.isSuccess && (
        <PickerEmpty>
          {search === "" && without.length > 0
            ? t("chat.model.noOther")
            : t("chat.model.empty", { search })}
        </PickerEmpty>
      )}
      <PickerGroups
        groups={first.length > 0 ? new Map([[t("models.usual"), first], ...groups]) : groups}
      >
        {(model) => (
          <PickerItem key={keyOf(model)} value={keyOf(model)} onSelect={() => onChoose(model)}>
            <span className={styles.words}>
              <span className={styles.name}>{model.name}</span>
              <span className={styles.detail}>{detailOf(model)}</span>
            </span>
            {isSameModel(model, chosen) && (
              <Check className={styles.chosen} aria-label={t("chat.model.isChosen")} />
            )}
          </PickerItem>
        )}
      </PickerGroups>
    </PickerList>
  );
}

const keyOf = ({ connectionId, modelId }: ModelRef): string => `${connectionId} ${modelId}`;

/**
 * The details that distinguish models: price, context size, and a one-sentence description or the
 * id.
 */
function detailOf({ description, modelId, name, limits, capabilities, prices }: Model): string {
  const context =
    typeof limits.contextTokens === "number"
      ? t("chat.model.context", { count: formatCount(limits.contextTokens) })
      : null;
  const reads = capabilities.imageInput === true ? t("chat.model.pictures") : null;
  const id = modelId === name ? null : modelId;
  const price = prices.length > 0 ? pricesText(prices) : null;
  return [price, context, reads, description || id].filter(Boolean).join(" · ");
}
