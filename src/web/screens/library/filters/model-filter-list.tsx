import { useQuery } from "@tanstack/react-query";
import { Box, Check, Plug } from "lucide-react";
import { type ReactNode, useState } from "react";
import styles from "../../../components/asset/tags/tags.module.css";
import { groupBy } from "../../../data/group-by.ts";
import { toModelPath } from "../../../data/model-ref.ts";
import {
  type AssetFilter,
  type AssetModel,
  assetModelsQuery,
} from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { PickerEmpty, PickerItem, PickerList, PickerNote } from "../../../ui/lists/picker-list.tsx";
import type { FilterChange } from "../filter.ts";

export type ModelFilterListProps = {
  label: string;
  filter: AssetFilter;
  set: (change: FilterChange) => void;
  connections: readonly { id: string; name: string }[];
};

/**
 * The models that made the library's items, and their connections, with counts. In a separate
 * chunk.
 */
export function ModelFilterList({ label, filter, set, connections }: ModelFilterListProps) {
  const { project } = useSession();
  const [typed, setTyped] = useState("");
  const found = useQuery(assetModelsQuery(project.id));
  const search = typed.trim().toLowerCase();
  const isFound = (...names: string[]) => names.some((name) => name.toLowerCase().includes(search));
  const nameOf = (id: string) =>
    connections.find((connection) => connection.id === id)?.name ??
    t("library.filter.connection.gone");
  const all = found.data?.models ?? [];
  const byConnection = [...groupBy(all, ({ connectionId }) => connectionId)];
  const models = all.filter((model) =>
    isFound(model.name, model.modelId, nameOf(model.connectionId)),
  );
  const whole = byConnection.filter(([id]) => isFound(nameOf(id)));
  const isChosen = (model: AssetModel) =>
    model.connectionId === filter.connectionId && model.modelId === filter.modelId;
  const isWhole = (id: string) => id === filter.connectionId && filter.modelId === undefined;
  return (
    <PickerList
      label={label}
      placeholder={t("library.models.search")}
      query={typed}
      onQueryChange={setTyped}
      isFiltered
    >
      {found.isError && (
        <PickerNote>
          <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
        </PickerNote>
      )}
      {found.isSuccess && (
        <PickerEmpty>
          {search
            ? t("library.models.none", { search: typed.trim() })
            : t("library.models.noneYet")}
        </PickerEmpty>
      )}
      {models.map((model) => (
        <Row
          key={toModelPath(model)}
          value={toModelPath(model)}
          icon={<Box aria-hidden />}
          name={model.name}
          detail={nameOf(model.connectionId)}
          count={model.count}
          isChosen={isChosen(model)}
          onSelect={() =>
            set({ model: isChosen(model) ? null : toModelPath(model), connection: null })
          }
        />
      ))}
      {whole.map(([id, of]) => (
        <Row
          key={id}
          value={id}
          icon={<Plug aria-hidden />}
          name={t("library.models.all", { name: nameOf(id) })}
          count={of.reduce((sum, { count }) => sum + count, 0)}
          isChosen={isWhole(id)}
          onSelect={() => set({ model: null, connection: isWhole(id) ? null : id })}
        />
      ))}
    </PickerList>
  );
}

type RowProps = {
  value: string;
  icon: ReactNode;
  name: string;
  detail?: string;
  count: number;
  isChosen: boolean;
  onSelect: () => void;
};

const Row = ({ value, icon, name, detail, count, isChosen, onSelect }: RowProps) => (
  <PickerItem value={value} onSelect={onSelect}>
    {icon}
    <span className={styles.name}>{name}</span>
    {detail && <span className={styles.count}>{detail}</span>}
    <span className={styles.count}>{formatCount(count)}</span>
    {isChosen && <Check className={styles.mark} aria-label={t("library.models.chosen")} />}
  </PickerItem>
);
