import { ArrowDownWideNarrow, Boxes, Plus, Star } from "lucide-react";
import { modelFamilies } from "#contract/filters/model-families.ts";
import {
  type ModelOrder,
  modelCapabilities,
  modelOrders,
  newModelDays,
  priceKinds,
  runPlaces,
  type UsedModelOrder,
  usedModelOrders,
} from "#contract/filters/model-filters.ts";
import { modalities, tasks } from "#contract/tasks.ts";
import {
  type CatalogueFilter,
  contexts,
  type FilterKey,
  orderAmong,
  readCan,
} from "../../data/catalogue-filter.ts";
import { useActions } from "../../frame/action-button.tsx";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { t } from "../../messages/t.ts";
import { Chip, TagChip } from "../../ui/controls/chip.tsx";
import type { MenuEntry } from "../../ui/overlays/menu-popup.tsx";
import styles from "./models-screen.module.css";

/** "here": the gallery of models, those used in this project first; "all": every model. */
const views = ["here", "all"] as const;
export type CatalogueView = (typeof views)[number];
export const readView = (text: string | undefined): CatalogueView | undefined =>
  views.find((view) => view === text);

type ToolsProps = {
  view: CatalogueView;
  onViewChange: (view: CatalogueView) => void;
  filter: CatalogueFilter;
  set: (change: Partial<Record<FilterKey, string | null>>) => void;
};

/** The catalog's two views, with their filters and orders. */
export function CatalogueTools({ view, onViewChange, filter, set }: ToolsProps) {
  const toggleStarred = () => set({ starred: filter.starred ? null : "true" });
  useActions([
    ...views
      .filter((name) => name !== view)
      .map((name) => ({
        id: `models.view.${name}`,
        title: t(`models.view.${name}`),
        icon: Boxes,
        run: () => onViewChange(name),
      })),
    { id: "models.starred", title: t("models.starred"), icon: Star, run: toggleStarred },
  ]);
  return (
    <div className={styles.chips}>
      {views.map((name) => (
        <Chip key={name} selected={view === name} onClick={() => onViewChange(name)}>
          {t(`models.view.${name}`)}
        </Chip>
      ))}
      <Chip icon={Star} selected={filter.starred !== undefined} onClick={toggleStarred}>
        {t("models.starred")}
      </Chip>
      {filter.task && (
        <TagChip
          onRemove={() => set({ task: null })}
          removeLabel={t("models.filter.remove", { name: tasks[filter.task].name })}
        >
          {tasks[filter.task].name}
        </TagChip>
      )}
      {filter.family && (
        <TagChip
          onRemove={() => set({ family: null })}
          removeLabel={t("models.filter.remove", { name: modelFamilies[filter.family].name })}
        >
          {modelFamilies[filter.family].name}
        </TagChip>
      )}
      <ListTools view={view} filter={filter} set={set} />
    </div>
  );
}

function ListTools({ view, filter, set }: Pick<ToolsProps, "view" | "filter" | "set">) {
  const orders: readonly (ModelOrder | UsedModelOrder)[] =
    view === "all" ? modelOrders : usedModelOrders;
  const order = orderAmong(orders, filter) ?? orders[0]!;
  return (
    <>
      <ActionMenu
        label={t("models.filter")}
        align="start"
        entries={listEntries(view, filter, set)}
        trigger={<Chip icon={Plus}>{t("models.filter")}</Chip>}
      />
      {listActive(filter).map(({ key, name, without = null }) => (
        <TagChip
          key={name}
          onRemove={() => set({ [key]: without })}
          removeLabel={t("models.filter.remove", { name })}
        >
          {name}
        </TagChip>
      ))}
      <ActionMenu
        label={t("models.order")}
        align="start"
        entries={orders.map((one) => ({
          label: t(`models.order.${one}`),
          checked: one === order,
          onSelect: () => set({ order: one === orders[0] ? null : one }),
        }))}
        trigger={<Chip icon={ArrowDownWideNarrow}>{t(`models.order.${order}`)}</Chip>}
      />
    </>
  );
}

const newWords = (): string => t("models.filter.new", { days: newModelDays });
const contextText = (count: number): string => t("models.filter.context.least", { count });

/** The filters of each view; the view of used models has fewer. */
function listEntries(
  view: CatalogueView,
  filter: CatalogueFilter,
  set: ToolsProps["set"],
): MenuEntry[] {
  const can = readCan(filter.can);
  const choice = (
    key: "takes" | "gives" | "price" | "runsOn" | "context" | "new",
    value: string,
    label: string,
  ): MenuEntry => ({
    label,
    checked: String(filter[key] ?? "") === value,
    onSelect: () => set({ [key]: String(filter[key] ?? "") === value ? null : value }),
  });
  const ofBoth: MenuEntry[] = [
    { heading: t("models.filter.runsOn") },
    ...runPlaces.map((place) => choice("runsOn", place, t(`models.runsOn.${place}`))),
    { heading: t("models.facts.takes") },
    ...modalities.map((name) => choice("takes", name, t(`models.modality.${name}`))),
    { heading: t("models.facts.gives") },
    ...modalities.map((name) => choice("gives", name, t(`models.modality.${name}`))),
  ];
  if (view === "here") return ofBoth;
  return [
    choice("new", "true", newWords()),
    { heading: t("models.filter.can") },
    ...modelCapabilities.map((name) => ({
      label: t(`models.can.${name}`),
      checked: can.includes(name),
      onSelect: () =>
        set({
          can:
            (can.includes(name) ? can.filter((other) => other !== name) : [...can, name]).join(
              ",",
            ) || null,
        }),
    })),
    { heading: t("models.filter.context") },
    ...contexts.map((tokens) => choice("context", String(tokens), contextText(tokens))),
    { heading: t("models.price") },
    ...priceKinds.map((kind) => choice("price", kind, t(`models.filter.price.${kind}`))),
    ...ofBoth,
  ];
}

type Active = { key: FilterKey; name: string; without?: string | null };
function listActive({
  takes,
  gives,
  can,
  context,
  price,
  runsOn,
  new: isNew,
}: CatalogueFilter): Active[] {
  const wanted = readCan(can);
  const active: (Active | false | undefined)[] = [
    isNew && { key: "new", name: newWords() },
    ...wanted.map(
      (name): Active => ({
        key: "can",
        name: t(`models.can.${name}`),
        without: wanted.filter((other) => other !== name).join(",") || null,
      }),
    ),
    context !== undefined && { key: "context", name: contextText(context) },
    price && { key: "price", name: t(`models.filter.price.${price}`) },
    runsOn && { key: "runsOn", name: t(`models.runsOn.${runsOn}`) },
    takes && {
      key: "takes",
      name: t("models.filter.takes", { what: t(`models.modality.${takes}`) }),
    },
    gives && {
      key: "gives",
      name: t("models.filter.gives", { what: t(`models.modality.${gives}`) }),
    },
  ];
  return active.filter((one): one is Active => Boolean(one));
}
