import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Check, Minus, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Tag } from "#contract/entities.ts";
import { tagsQuery } from "../../../data/queries/library/tags.queries.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { PickerEmpty, PickerItem, PickerList, PickerNote } from "../../../ui/lists/picker-list.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import styles from "./tags.module.css";

/** Whether all or some of the targeted items have a tag. */
export type TagState = "all" | "some";

export type TagPickerProps = {
  label: string;
  /** Selected tags come first, with their state. */
  chosen: readonly { tag: Tag; state: TagState }[];
  onToggle: (tag: Tag, state: TagState | undefined) => void;
  /** Left out if only existing tags can be selected. `onDone` clears the field. */
  onMake?: (name: string, onDone: () => void) => void;
  /** Tags that aren't offered. */
  without?: readonly string[];
  foot?: ReactNode;
  typing: ReturnType<typeof useTagTyping>;
  /** The tags that begin with the typed words. */
  found: Pick<
    UseQueryResult,
    "error" | "isError" | "isPending" | "isPlaceholderData" | "refetch"
  > & {
    data: { tags: readonly Tag[] } | undefined;
  };
};

/** The text of a picker's field, and what to search for. */
export function useTagTyping() {
  const [typed, setTyped] = useState("");
  const wanted = oneLine(typed);
  return { typed, setTyped, wanted, search: useDebounced(wanted) };
}

type TagListProps = Omit<TagPickerProps, "typing" | "found"> & { projectId: string };

/** A project's tags as a picker, most used first. In a separate chunk. */
export function TagList({ projectId, ...picker }: TagListProps) {
  const typing = useTagTyping();
  const found = useQuery(tagsQuery(projectId, typing.search));
  return <TagPicker {...picker} typing={typing} found={found} />;
}

/** Tags as a picker; typed text can become a new tag. */
export function TagPicker({
  label,
  chosen,
  onToggle,
  onMake,
  without = [],
  foot,
  typing: { typed, setTyped, wanted, search },
  found,
}: TagPickerProps) {
  const stateOf = new Map(chosen.map(({ tag, state }) => [tag.id, state]));
  const first = search === "" ? chosen.map(({ tag }) => tag) : [];
  const tags = [
    ...first,
    ...(found.data?.tags ?? []).filter(({ id }) => !first.some((tag) => tag.id === id)),
  ].filter(({ id }) => !without.includes(id));
  const isKnown = tags.some(({ name }) => fold(name) === fold(wanted));
  const canMake =
    onMake && wanted !== "" && search === wanted && found.data !== undefined && !isKnown;
  return (
    <PickerList
      label={label}
      placeholder={onMake ? t("tags.type") : t("tags.search")}
      query={typed}
      onQueryChange={setTyped}
      isFiltered
      isBehind={search !== wanted || found.isPlaceholderData || found.isPending}
      foot={foot}
    >
      {found.isError && (
        <PickerNote>
          <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
        </PickerNote>
      )}
      {found.data && !canMake && (
        <PickerEmpty>
          {search ? t("tags.none", { search }) : t(onMake ? "tags.noneYet" : "tags.noneInProject")}
        </PickerEmpty>
      )}
      {tags.map((tag) => (
        <PickerItem
          key={tag.id}
          value={tag.id}
          onSelect={() => {
            onToggle(tag, stateOf.get(tag.id));
            setTyped("");
          }}
        >
          <StateMark state={stateOf.get(tag.id)} />
          <span className={styles.name}>{tag.name}</span>
          <span className={styles.count}>{formatCount(tag.count)}</span>
        </PickerItem>
      ))}
      {canMake && (
        <PickerItem value={`make ${wanted}`} onSelect={() => onMake(wanted, () => setTyped(""))}>
          <Plus aria-hidden />
          <span className={styles.name}>{t("tags.make", { name: wanted })}</span>
        </PickerItem>
      )}
    </PickerList>
  );
}

const oneLine = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();
const fold = (name: string): string => name.normalize("NFKC").toLowerCase();

function StateMark({ state }: { state: TagState | undefined }) {
  if (state === "all") return <Check className={styles.mark} aria-label={t("tags.onAll")} />;
  if (state === "some") return <Minus className={styles.mark} aria-label={t("tags.onSome")} />;
  return <span className={styles.unmarked} />;
}
