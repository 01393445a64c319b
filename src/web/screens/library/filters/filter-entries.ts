import {
  type AssetRange,
  type AssetSort,
  assetAspects,
  assetGroups,
  assetRanges,
  assetSorts,
} from "#contract/filters/asset-filters.ts";
import { runStateText } from "#contract/run-states.ts";
import { taskNames, tasks } from "#contract/tasks.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { t } from "../../../messages/t.ts";
import type { MenuBranch, MenuEntry } from "../../../ui/overlays/menu-popup.tsx";
import {
  assetKinds,
  assetStates,
  type FilterChange,
  type FilterKey,
  type View,
} from "../filter.ts";
import { rangeFields } from "./filter-fields.ts";
import { describeRange } from "./filter-text.ts";

export type FilterChoices = {
  filter: AssetFilter;
  view: View;
  set: (change: FilterChange) => void;
  /** Opens a range's dialog. */
  onRange: (field: AssetRange) => void;
  /** Opens the tag picker. */
  onTags: () => void;
  /** Opens the picker of people; null if the project has only one. */
  onPeople: (() => void) | null;
  /** Opens the picker of models that made something here. */
  onModels: () => void;
};

const dayMs = 24 * 60 * 60_000;
const usualDays = [1, 7, 30, 90];

/** The entries of the "Filter" menu: each field's values. */
export function listFilters(choices: FilterChoices, now: number): MenuEntry[] {
  const { filter, view, set, onRange, onTags, onPeople, onModels } = choices;
  const choice = (
    key: FilterKey,
    value: string,
    label: string,
    current: string | undefined,
  ): MenuEntry => ({
    label,
    checked: current === value,
    onSelect: () => set({ [key]: current === value ? null : value }),
  });
  const branch = (label: string, entries: MenuEntry[]): MenuBranch[] =>
    entries.length > 0 ? [{ label, entries }] : [];
  const range = (field: AssetRange): MenuBranch[] => {
    const usual =
      field === "createdAt"
        ? usualDays.map((days) => ({
            value: `${startOfDay(now - (days - 1) * dayMs)}..`,
            label: t("library.filter.days", { days }),
          }))
        : rangeFields[field].usual.map((value) => ({ value, label: describeRange(field, value) }));
    return branch(t(`library.field.${field}`), [
      ...usual.map(({ value, label }) => choice(field, value, label, filter[field])),
      ...(field === "rating"
        ? []
        : [{ label: t("library.filter.range"), movesFocus: true, onSelect: () => onRange(field) }]),
    ]);
  };
  return [
    ...branch(
      t("library.filter.kind"),
      assetKinds.map((kind) => choice("kind", kind, t(`library.kind.${kind}`), filter.kind)),
    ),
    ...branch(
      t("library.filter.chosen"),
      view === "kept"
        ? []
        : (["kept", "rejected", "none"] as const).map((pick) =>
            choice("pick", pick, t(`library.filter.${pick}`), filter.pick),
          ),
    ),
    ...range("rating"),
    { label: t("library.filter.tags"), movesFocus: true, onSelect: onTags },
    ...branch(
      t("library.filter.task"),
      taskNames.map((task) => choice("task", task, tasks[task].name, filter.task)),
    ),
    { label: t("library.filter.models"), movesFocus: true, onSelect: onModels },
    ...branch(
      t("library.filter.state"),
      assetStates.map((state) => choice("state", state, runStateText(state), filter.state)),
    ),
    ...(onPeople
      ? [{ label: t("library.filter.person"), movesFocus: true, onSelect: onPeople }]
      : []),
    ...assetRanges.filter((field) => field !== "rating").flatMap(range),
    ...branch(
      t("library.filter.aspect"),
      assetAspects.map((aspect) =>
        choice("aspect", aspect, t(`library.aspect.${aspect}`), filter.aspect),
      ),
    ),
    ...branch(
      t("library.filter.from"),
      view === "uploads"
        ? []
        : (["made", "uploaded"] as const).map((source) =>
            choice("source", source, t(`library.filter.${source}`), filter.source),
          ),
    ),
    ...branch(
      t("library.filter.used"),
      (["true", "false"] as const).map((used) =>
        choice("used", used, t(`library.used.${used}`), filter.used),
      ),
    ),
  ];
}

/** The sorts in the menu itself. A submenu has the others. */
const usualSorts: readonly AssetSort[] = ["createdAt", "rating", "pick", "title", "person"];

/** Both directions, the usual one first. */
const ordersOf = (field: AssetSort) =>
  [...assetRanges, "aspect", "pick", "used"].includes(field)
    ? (["desc", "asc"] as const)
    : (["asc", "desc"] as const);

/** The entries of the sort menu: each field in both directions, the usual one first. */
export function listSorts(filter: AssetFilter, set: FilterChoices["set"]): MenuEntry[] {
  const current = sortOf(filter);
  const isIn = filter.collectionId !== undefined;
  const isLike = filter.similarTo !== undefined;
  /** The order without a sort in the address. */
  const usual = isLike ? "similarity.desc" : isIn ? "position.asc" : undefined;
  const own: MenuEntry[] = usual
    ? [
        {
          label: t(`library.sort.${usual}`),
          checked: usual.startsWith(current.sort),
          onSelect: () => set({ sort: null, order: null }),
        },
      ]
    : [];
  const inOrders = (field: AssetSort): MenuEntry[] =>
    ordersOf(field).flatMap((order) => {
      const isNewest = field === "createdAt" && order === "desc";
      // The default order has no parameter in the address.
      if (isNewest && isLike) return [];
      return {
        label: t(`library.sort.${field}.${order}`),
        checked: current.sort === field && current.order === order,
        onSelect: () =>
          set(isNewest && !isIn ? { sort: null, order: null } : { sort: field, order }),
      };
    });
  const groups: MenuEntry[] = [undefined, ...assetGroups].map((group) => ({
    label: t(`library.group.${group ?? "day"}`),
    checked: filter.group === group,
    onSelect: () => set({ group: group ?? null }),
  }));
  const others = assetSorts.filter((field) => !usualSorts.includes(field));
  return [
    ...own,
    ...usualSorts.flatMap(inOrders),
    { label: t("library.sort.more"), entries: others.flatMap(inOrders) },
    { label: t("library.group"), entries: groups },
  ];
}

export const sortOf = ({ similarTo, sort, order = "desc" }: AssetFilter) => ({
  sort: sort ?? (similarTo === undefined ? ("createdAt" as const) : ("similarity" as const)),
  order,
});

const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
