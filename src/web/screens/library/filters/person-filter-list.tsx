import { useInfiniteQuery } from "@tanstack/react-query";
import { Check, UserRound } from "lucide-react";
import { useState } from "react";
import { limits } from "#contract/limits.ts";
import styles from "../../../components/asset/tags/tags.module.css";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { membersQuery } from "../../../data/queries/project.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { PickerEmpty, PickerItem, PickerList, PickerNote } from "../../../ui/lists/picker-list.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import type { FilterChange } from "../filter.ts";

type PersonFilterListProps = {
  label: string;
  filter: AssetFilter;
  set: (change: FilterChange) => void;
};

/** The project's members by name. The server searches all of them. In a separate chunk. */
export function PersonFilterList({ label, filter, set }: PersonFilterListProps) {
  const { project } = useSession();
  const [typed, setTyped] = useState("");
  const wanted = typed.trim();
  const search = useDebounced(wanted);
  const found = useInfiniteQuery(membersQuery(project.id, search === "" ? {} : { q: search }));
  const [first] = found.data?.pages ?? [];
  const shown = first?.members ?? [];
  return (
    <PickerList
      label={label}
      placeholder={t("library.people.search")}
      query={typed}
      onQueryChange={setTyped}
      maxLength={limits.searchCharacters}
      isFiltered
      isBehind={search !== wanted || found.isPlaceholderData || found.isPending}
      foot={
        first && first.count > shown.length
          ? t("library.people.more", { count: first.count - shown.length })
          : undefined
      }
    >
      {found.isError && (
        <PickerNote>
          <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
        </PickerNote>
      )}
      {found.isSuccess && <PickerEmpty>{t("library.people.none", { search })}</PickerEmpty>}
      {shown.map(({ userId, name, email }) => {
        const isChosen = filter.createdBy === userId;
        return (
          <PickerItem
            key={userId}
            value={userId}
            onSelect={() => set({ createdBy: isChosen ? null : userId })}
          >
            <UserRound aria-hidden />
            <span className={styles.name}>{name}</span>
            <span className={styles.count}>{email}</span>
            {isChosen && <Check className={styles.mark} aria-label={t("library.models.chosen")} />}
          </PickerItem>
        );
      })}
    </PickerList>
  );
}
