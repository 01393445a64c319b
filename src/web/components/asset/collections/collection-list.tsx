import { useInfiniteQuery } from "@tanstack/react-query";
import { Folder, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import type { Collection } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { collectionsQuery } from "../../../data/queries/library/collections.queries.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { PickerEmpty, PickerItem, PickerList, PickerNote } from "../../../ui/lists/picker-list.tsx";
import styles from "../tags/tags.module.css";

export type CollectionListProps = {
  projectId: string;
  label: string;
  onChoose: (collection: Collection) => void;
  onMake: (name: string) => void;
};

/**
 * A project's collections as a picker; typed text can become a new collection. In a separate chunk.
 */
export function CollectionList({ projectId, label, onChoose, onMake }: CollectionListProps) {
  const [typed, setTyped] = useState("");
  const found = useInfiniteQuery(collectionsQuery(projectId, { kind: "manual" }));
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = found;
  const name = typed.replace(/\s+/g, " ").trim().slice(0, limits.nameCharacters);
  const all = found.data?.pages.flatMap((page) => page.collections) ?? [];
  const shown = all.filter((one) => one.name.toLowerCase().includes(name.toLowerCase()));
  // There are a few hundred at most, so a search loads all of them.
  const wantsMore = name !== "" && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);
  const isKnown = all.some((one) => one.name.toLowerCase() === name.toLowerCase());
  return (
    <PickerList
      label={label}
      placeholder={t("collections.type")}
      query={typed}
      onQueryChange={setTyped}
      isFiltered
    >
      {found.isError && (
        <PickerNote>
          <ErrorState
            compact
            error={found.error}
            onRetry={() => void (isFetchNextPageError ? fetchNextPage() : found.refetch())}
          />
        </PickerNote>
      )}
      {found.isSuccess && name === "" && <PickerEmpty>{t("collections.noneYet")}</PickerEmpty>}
      {shown.map((collection) => (
        <PickerItem key={collection.id} value={collection.id} onSelect={() => onChoose(collection)}>
          <Folder aria-hidden />
          <span className={styles.name}>{collection.name}</span>
          <span className={styles.count}>{formatCount(collection.count)}</span>
        </PickerItem>
      ))}
      {name !== "" && found.isSuccess && !isKnown && (
        <PickerItem value={`make ${name}`} onSelect={() => onMake(name)}>
          <Plus aria-hidden />
          <span className={styles.name}>{t("collections.make", { name })}</span>
        </PickerItem>
      )}
    </PickerList>
  );
}
