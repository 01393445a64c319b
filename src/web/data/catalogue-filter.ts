import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { type ModelFamily, modelFamilyNames } from "#contract/filters/model-families.ts";
import {
  type ModelCapability,
  type ModelOrder,
  modelCapabilities,
  modelOrders,
  type PriceKind,
  priceKinds,
  type RunPlace,
  runPlaces,
  type UsedModelOrder,
  usedModelOrders,
} from "#contract/filters/model-filters.ts";
import { type Modality, modalities, type Task, taskNames } from "#contract/tasks.ts";

/** The catalog's filter, in the form that its route takes. */
export type CatalogueFilter = {
  task?: Task;
  connectionId?: string;
  takes?: Modality;
  gives?: Modality;
  family?: ModelFamily;
  /** Capabilities, separated by commas. */
  can?: string;
  context?: number;
  price?: PriceKind;
  runsOn?: RunPlace;
  new?: "true";
  starred?: "true";
  order?: ModelOrder | UsedModelOrder;
};

/** The context sizes offered by the filter, in tokens. */
export const contexts = [32_000, 128_000, 1_000_000] as const;

const keys = [
  "task",
  "connection",
  "takes",
  "gives",
  "family",
  "can",
  "context",
  "price",
  "runsOn",
  "new",
  "starred",
  "order",
] as const;
export type FilterKey = (typeof keys)[number];

const oneOf = <Value extends string>(
  values: readonly Value[],
  value: string | undefined,
): Value | undefined => values.find((known) => known === value);

/** Reads the address as a filter. Unknown values are dropped, so that old links still open. */
function readFilter(search: Partial<Record<FilterKey, string>>): CatalogueFilter {
  const can = readCan(search.can);
  const filter: CatalogueFilter = {
    task: oneOf(taskNames, search.task),
    connectionId: search.connection,
    takes: oneOf(modalities, search.takes),
    gives: oneOf(modalities, search.gives),
    family: oneOf(modelFamilyNames, search.family),
    can: can.length > 0 ? can.join(",") : undefined,
    context: contexts.find((tokens) => String(tokens) === search.context),
    price: oneOf(priceKinds, search.price),
    runsOn: oneOf(runPlaces, search.runsOn),
    new: oneOf(["true"] as const, search.new),
    starred: oneOf(["true"] as const, search.starred),
    order: oneOf([...modelOrders, ...usedModelOrders], search.order),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The chosen order, if a view has it. */
export const orderAmong = <Order extends string>(
  orders: readonly Order[],
  { order }: CatalogueFilter,
): Order | undefined => oneOf(orders, order);

export const readCan = (text: string | undefined): ModelCapability[] =>
  modelCapabilities.filter((name) => (text ?? "").split(",").includes(name));

/** The address's filter. The object stays the same until the address changes. */
export function useCatalogueFilter() {
  const search = useSearch({ strict: false }) as Partial<Record<FilterKey, string>>;
  const navigate = useNavigate();
  const searchKey = JSON.stringify(Object.fromEntries(keys.map((key) => [key, search[key]])));
  const filter = useMemo(() => readFilter(JSON.parse(searchKey)), [searchKey]);
  return {
    filter,
    set: (change: Partial<Record<FilterKey | "q", string | null>>) =>
      void navigate({
        to: ".",
        search: (before) => ({
          ...before,
          ...Object.fromEntries(
            Object.entries(change).map(([key, value]) => [key, value ?? undefined]),
          ),
        }),
        replace: true,
      }),
    clear: () =>
      void navigate({
        to: ".",
        search: (before) => ({
          ...before,
          q: undefined,
          ...Object.fromEntries(keys.map((key) => [key, undefined])),
        }),
        replace: true,
      }),
  };
}
