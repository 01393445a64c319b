import { useNavigate } from "@tanstack/react-router";
import {
  ArrowLeftRight,
  ArrowUpDown,
  BookmarkPlus,
  LayoutGrid,
  MessageCircle,
  Plus,
  Search,
  Trash2,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { AssetFilter } from "../../data/queries/library.queries.ts";
import { useActions } from "../../frame/action-button.tsx";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { ActionPopover } from "../../frame/action-popover.tsx";
import { useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Chip, TagChip } from "../../ui/controls/chip.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Slider } from "../../ui/controls/slider.tsx";
import { SearchField } from "../../ui/controls/text-field.tsx";
import { Kbd } from "../../ui/display/kbd.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { PopupPart } from "../../ui/part.tsx";
import { useWidth } from "../../ui/use-width.ts";
import { type FilterChange, isNarrowed, toSaved, type View } from "./filter.ts";
import type { Choosing } from "./filters/filter-dialog.tsx";
import { listFilters, listSorts, sortOf } from "./filters/filter-entries.ts";
import { describeFilter } from "./filters/filter-text.ts";
import { tagsOf } from "./filters/tags-of-filter.ts";
import { useFilterNames } from "./filters/use-filter-names.ts";
import { tileHeights } from "./gallery/gallery.tsx";
import styles from "./library.module.css";

const FilterDialog = lazyPart(() =>
  import("./filters/filter-dialog.tsx").then(({ FilterDialog }) => FilterDialog),
);
const NameCollection = lazyPart(() =>
  import("./collections/name-collection.tsx").then(({ NameCollection }) => NameCollection),
);

const searchAfterMs = 250;

type ToolsProps = {
  filter: AssetFilter;
  view: View;
  set: (change: FilterChange) => void;
  tiles: [height: number, setHeight: (height: number) => void];
  /** Whether the person may save a search. */
  canEdit: boolean;
  /** Left out without the right to delete, and in the trash. */
  onTrashRejects?: (() => void) | undefined;
};

/** The search field, the filters and the sort. */
export function LibraryTools({ filter, view, set, tiles, canEdit, onTrashRejects }: ToolsProps) {
  const [choosing, setChoosing] = useState<Choosing | null>(null);
  const [isSaving, setSaving] = useState(false);
  const { people, connections, ...names } = useFilterNames(filter);
  const canSave =
    canEdit && view !== "trash" && isNarrowed({ ...filter, similarTo: undefined }, "all");
  const tags = tagsOf(filter);
  const [tileHeight, setTileHeight] = tiles;
  const now = useNow();
  const navigate = useNavigate();
  const { sort, order } = sortOf(filter);
  const chips = describeFilter(filter, view, names);
  const matchTags = () => set({ tagMatch: filter.tagMatch === "any" ? null : "any" });
  const toConversations = () => void navigate({ to: "/chat", search: { trash: "1" } });
  const save = () => setSaving(true);
  useActions([
    ...(tags.length > 1
      ? [
          {
            id: "library.tags.match",
            title: t(filter.tagMatch === "any" ? "library.tags.all" : "library.tags.any"),
            icon: ArrowLeftRight,
            run: matchTags,
          },
        ]
      : []),
    ...(view === "trash"
      ? [
          {
            id: "library.trash.conversations",
            title: t("library.trash.conversations"),
            icon: MessageCircle,
            run: toConversations,
          },
        ]
      : []),
    ...(canSave
      ? [{ id: "library.save", title: t("library.saved.new"), icon: BookmarkPlus, run: save }]
      : []),
  ]);
  return (
    <>
      <LibrarySearch q={filter.q ?? ""} onSearch={(q) => set({ q: q || null })} />
      {tags.length > 1 && (
        <Chip endIcon={ArrowLeftRight} onClick={matchTags}>
          {t(filter.tagMatch === "any" ? "library.tags.any" : "library.tags.all")}
        </Chip>
      )}
      {chips.map(({ key, without, name }) => (
        <TagChip
          key={key}
          onRemove={() => set(without)}
          removeLabel={t("library.filter.remove", { name })}
        >
          {name}
        </TagChip>
      ))}
      <ActionMenu
        label={t("library.filter")}
        align="start"
        entries={listFilters(
          {
            ...{ filter, view, set },
            onRange: setChoosing,
            onTags: () => setChoosing("tags"),
            onPeople: people.length > 1 ? () => setChoosing("people") : null,
            onModels: () => setChoosing("models"),
          },
          now,
        )}
        trigger={<Chip icon={Plus}>{t("library.filter")}</Chip>}
      />
      <ActionMenu
        label={t("library.sort")}
        align="start"
        entries={listSorts(filter, set)}
        trigger={<Chip icon={ArrowUpDown}>{t(`library.sort.${sort}.${order}`)}</Chip>}
      />
      <ActionPopover
        act="library.tiles"
        icon={LayoutGrid}
        title={t("library.tiles")}
        isTitleHidden
        align="start"
        width={260}
        trigger={<IconButton icon={LayoutGrid} label={t("library.tiles")} />}
      >
        <div className={styles.tiles}>
          <Slider
            label={t("library.tiles")}
            value={tileHeight}
            onValueChange={setTileHeight}
            {...tileHeights}
          />
        </div>
      </ActionPopover>
      {filter.pick === "rejected" && onTrashRejects && (
        <Chip icon={Trash2} onClick={onTrashRejects}>
          {t("library.trashRejects")}
        </Chip>
      )}
      {view === "trash" && (
        <Chip icon={MessageCircle} onClick={toConversations}>
          {t("library.trash.conversations")}
        </Chip>
      )}
      {canSave && (
        <Chip icon={BookmarkPlus} onClick={save}>
          {t("library.saved.new")}
        </Chip>
      )}
      {isSaving && (
        <PopupPart open onClose={() => setSaving(false)}>
          <NameCollection
            collection={null}
            query={toSaved(filter)}
            onClose={() => setSaving(false)}
          />
        </PopupPart>
      )}
      {choosing && (
        <PopupPart open onClose={() => setChoosing(null)}>
          <FilterDialog
            {...{ choosing, filter, set, connections }}
            onClose={() => setChoosing(null)}
          />
        </PopupPart>
      )}
    </>
  );
}

/** Writes the search to the address after a pause, so that typing makes one request. */
function LibrarySearch({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const isPhone = useWidth() === "phone";
  useCommands([
    {
      id: "library.search",
      title: t("library.search"),
      group: t("selection.group"),
      icon: Search,
      shortcut: "/",
      run: () => field.current?.focus(),
    },
  ]);
  if (q !== known) {
    // The address was changed by a link or the back button.
    setKnown(q);
    if (q !== typed.trim()) setTyped(q);
  }
  useEffect(() => {
    if (typed.trim() === q) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), searchAfterMs);
    return () => clearTimeout(timer);
  }, [typed, q, onSearch]);
  return (
    <SearchField
      ref={field}
      label={t("library.search")}
      value={typed}
      onValueChange={setTyped}
      end={isPhone ? undefined : <Kbd keys="/" />}
      className={styles.search}
    />
  );
}
