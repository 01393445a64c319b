import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import type { AssetFilter } from "../../data/queries/library.queries.ts";
import { t } from "../../messages/t.ts";
import { Chip, TagChip } from "../../ui/controls/chip.tsx";
import { SearchField } from "../../ui/controls/text-field.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import type { MenuEntry } from "../../ui/overlays/menu-popup.tsx";
import { assetKinds, type View } from "./filter.ts";
import styles from "./library.module.css";

const searchAfterMs = 250;

type ToolsProps = {
  filter: AssetFilter;
  view: View;
  set: (change: Record<string, string | null>) => void;
};

/** The search field and the filters. */
export function LibraryTools({ filter, view, set }: ToolsProps) {
  const active = [
    filter.kind && { key: "kind", name: t(`library.kind.${filter.kind}`) },
    filter.pick &&
      filter.pick !== "none" &&
      view !== "kept" && { key: "pick", name: t(`library.filter.${filter.pick}`) },
    filter.source &&
      view !== "uploads" && { key: "source", name: t(`library.filter.${filter.source}`) },
    filter.modelId && { key: "model", name: filter.modelId },
  ].filter((chip): chip is { key: string; name: string } => Boolean(chip));
  return (
    <>
      <LibrarySearch q={filter.q ?? ""} onSearch={(q) => set({ q: q || null })} />
      {active.map(({ key, name }) => (
        <TagChip
          key={key}
          onRemove={() => set({ [key]: null })}
          removeLabel={t("library.filter.remove", { name })}
        >
          {name}
        </TagChip>
      ))}
      <Menu
        label={t("library.filter")}
        align="start"
        entries={listEntries(filter, view, set)}
        trigger={<Chip icon={Plus}>{t("library.filter")}</Chip>}
      />
    </>
  );
}

function listEntries(filter: AssetFilter, view: View, set: ToolsProps["set"]): MenuEntry[] {
  const choice = (key: "kind" | "pick" | "source", value: string, label: string): MenuEntry => ({
    label,
    checked: filter[key] === value,
    onSelect: () => set({ [key]: filter[key] === value ? null : value }),
  });
  const entries: MenuEntry[] = [
    { heading: t("library.filter.kind") },
    ...assetKinds.map((kind) => choice("kind", kind, t(`library.kind.${kind}`))),
  ];
  if (view !== "kept")
    entries.push(
      { heading: t("library.filter.chosen") },
      choice("pick", "kept", t("library.filter.kept")),
      choice("pick", "rejected", t("library.filter.rejected")),
    );
  if (view !== "uploads")
    entries.push(
      { heading: t("library.filter.from") },
      choice("source", "made", t("library.filter.made")),
      choice("source", "uploaded", t("library.filter.uploaded")),
    );
  return entries;
}

/** Writes the search to the address after a pause, so that typing makes one request. */
function LibrarySearch({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
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
      label={t("library.search")}
      value={typed}
      onValueChange={setTyped}
      maxLength={200}
      className={styles.search}
    />
  );
}
