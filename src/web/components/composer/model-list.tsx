import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { Task } from "#contract/tasks.ts";
import { groupBy } from "../../data/group-by.ts";
import { modelsOfTaskQuery } from "../../data/queries/chat.queries.ts";
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
  /** Searches other models than those that the project offers. */
  find?: (search: string) => ReturnType<typeof modelsOfTaskQuery>;
};

/** Models of all connections, searched on the server. In a separate chunk. */
export function ModelList({
  projectId,
  chosen,
  without = [],
  onChoose,
  keep = () => true,
  task: ofTask = "chat",
  find,
}: ModelListProps) {
  const [typed, setTyped] = useState("");
  const search = useDebounced(typed.trim());
  const task = ofTask === "all" ? undefined : ofTask;
  const found = useQuery(find?.(search) ?? modelsOfTaskQuery(projectId, task, search));
  const usual = useQuery(usualModelsQuery(projectId, task));
  const first = search === "" ? withoutModels(usual.data ?? [], without).filter(keep) : [];
  // If the usual ones came last, they would push the highlighted row away from the top.
  const isPending = found.isPending || usual.isPending;
  const models = isPending ? [] : (found.data?.models ?? []);
  const listed = withoutModels(models, [...without, ...first]).filter(keep);
  const groups = groupBy(exactFirst(listed, search), ({ connectionName }) => connectionName);
  return (
    <PickerList
      label={t("chat.model.choose")}
      placeholder={t("chat.model.search")}
      query={typed}
      onQueryChange={setTyped}
      maxLength={limits.searchCharacters}
      isFiltered
      isBehind={search !== typed.trim() || found.isPlaceholderData || isPending}
      initial={chosen ? keyOf(chosen) : undefined}
      foot={
        task &&
        !find && (
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
      {found.isSuccess && !isPending && (
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
