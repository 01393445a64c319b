import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { Task } from "#contract/tasks.ts";
import { groupBy } from "../../data/group-by.ts";
import { modelsOfTaskQuery, toolModelsQuery } from "../../data/queries/chat.queries.ts";
import { usualModelsQuery, withoutModels } from "../../data/queries/models.queries.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import {
  PickerEmpty,
  PickerGroups,
  PickerItem,
  PickerList,
  PickerNote,
} from "../../ui/lists/picker-list.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { exactFirst } from "../model/exact-first.ts";
import { ModelLine } from "../model/model-line.tsx";
import { isSameModel } from "./default-model.ts";
import styles from "./model-picker.module.css";

export type ModelListProps = {
  projectId: string;
  chosen: Model | null;
  /** Models that are already chosen. */
  without?: readonly ModelRef[];
  onChoose: (model: Model) => void;
  keep?: (model: Model) => boolean;
  /** The task that the models do; chat by default. */
  task?: Task | "all";
};

/** Models of all connections, searched on the server. In a separate chunk. */
export function ModelList({
  projectId,
  chosen,
  without = [],
  onChoose,
  keep = () => true,
  task = "chat",
}: ModelListProps) {
  const [typed, setTyped] = useState("");
  const search = useDebounced(typed.trim());
  const isAll = task === "all";
  const found = useQuery(
    isAll ? toolModelsQuery(projectId, search) : modelsOfTaskQuery(projectId, task, search),
  );
  const usualOf = usualModelsQuery(projectId, isAll ? "chat" : task);
  const usual = useQuery({ ...usualOf, enabled: !isAll }).data ?? [];
  const first = search === "" && !isAll ? withoutModels(usual, without).filter(keep) : [];
  const listed = withoutModels(found.data?.models ?? [], [...without, ...first]).filter(keep);
  const groups = groupBy(exactFirst(listed, search), ({ connectionName }) => connectionName);
  return (
    <PickerList
      label={t("chat.model.choose")}
      placeholder={t("chat.model.search")}
      query={typed}
      onQueryChange={setTyped}
      maxLength={limits.searchCharacters}
      isFiltered
      isBehind={search !== typed.trim() || found.isPlaceholderData || found.isPending}
      initial={chosen ? keyOf(chosen) : undefined}
      foot={
        !isAll && (
          <Link to="/models" search={{ task }}>
            {t("chat.model.all")}
          </Link>
        )
      }
    >
      {found.isError && (
        <PickerNote>
          <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
        </PickerNote>
      )}
      {found.isSuccess && (
        <PickerEmpty>
          {search === ""
            ? t(without.length > 0 ? "chat.model.noOther" : "chat.model.noneOfTask")
            : t("chat.model.empty", { search })}
        </PickerEmpty>
      )}
      <PickerGroups
        groups={first.length > 0 ? new Map([[t("models.usual"), first], ...groups]) : groups}
      >
        {(model) => (
          <PickerItem key={keyOf(model)} value={keyOf(model)} onSelect={() => onChoose(model)}>
            <ModelLine model={model} />
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
