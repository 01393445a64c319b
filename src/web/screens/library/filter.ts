import { deepEqual, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Asset } from "#contract/entities.ts";
import {
  type AssetRange,
  assetAspects,
  assetGroups,
  assetRanges,
  assetSorts,
  parseRange,
} from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import { taskNames } from "#contract/tasks.ts";
import { fromModelPath, toModelPath } from "../../data/model-ref.ts";
import type { AssetFilter } from "../../data/queries/library.queries.ts";

/** The pane's views. */
export const views = ["all", "kept", "uploads", "trash"] as const;
export type View = (typeof views)[number];

/**
 * All kinds, marks and states by name. Not imported from the contract, whose file adds 27 KB of
 * zod.
 */
const namesOf = <Name extends string>(names: Record<Name, true>) => Object.keys(names) as Name[];
export const assetKinds = namesOf<Asset["kind"]>({
  image: true,
  video: true,
  audio: true,
  "3d": true,
  text: true,
  file: true,
});
const picks = namesOf<Asset["pick"]>({ none: true, kept: true, rejected: true });

/** The states in which a run has files. */
export const assetStates = ["running", "succeeded", "failed", "cancelled", "unconfirmed"] as const;

const oneOf = <Value extends string>(
  values: readonly Value[],
  value: string | undefined,
): Value | undefined => values.find((known) => known === value);

/** The address's parameters that filter or sort the library. */
const filterKeys = [
  "q",
  "kind",
  "pick",
  "source",
  "connection",
  "model",
  "task",
  "state",
  "createdBy",
  "aspect",
  "used",
  "similar",
  "tags",
  "tagMatch",
  ...assetRanges,
  "sort",
  "order",
  "group",
] as const;
export type FilterKey = (typeof filterKeys)[number];
export type FilterChange = Partial<Record<FilterKey | "view" | "collection", string | null>>;
type Search = Partial<Record<string, string>>;

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const readIds = (text = ""): string | undefined =>
  text
    .split(",")
    .filter((id) => isId.test(id))
    .slice(0, limits.tagsPerFilter)
    .join() || undefined;

/** Parses the address. Unknown values are ignored, so that old links still work. */
export function readFilter(search: Search): { view: View; filter: AssetFilter } {
  const view = oneOf(views, search.view) ?? "all";
  const model = fromModelPath(search.model);
  const ranges = assetRanges.map((field): [AssetRange, string | undefined] => [
    field,
    parseRange(search[field]) && search[field],
  ]);
  const tags = readIds(search.tags);
  const collectionId = readIds(search.collection)?.split(",")[0];
  const sort =
    oneOf(assetSorts, search.sort) ?? (collectionId ? ("position" as const) : "createdAt");
  const order = oneOf(["asc", "desc"] as const, search.order) ?? "desc";
  const filter = {
    q: search.q?.trim().slice(0, limits.searchCharacters) || undefined,
    kind: oneOf(assetKinds, search.kind),
    pick: view === "kept" ? ("kept" as const) : oneOf(picks, search.pick),
    source:
      view === "uploads"
        ? ("uploaded" as const)
        : oneOf(["made", "uploaded"] as const, search.source),
    connectionId: model?.connectionId ?? (search.connection || undefined),
    modelId: model?.modelId,
    task: oneOf(taskNames, search.task),
    state: oneOf(assetStates, search.state),
    createdBy: search.createdBy || undefined,
    aspect: oneOf(assetAspects, search.aspect),
    used: oneOf(["true", "false"] as const, search.used),
    similarTo: readIds(search.similar)?.split(",")[0],
    tags,
    collectionId,
    tagMatch: tags && oneOf(["any"] as const, search.tagMatch),
    ...Object.fromEntries(ranges),
    ...(sort === "position"
      ? { sort }
      : (sort !== "createdAt" || order !== "desc") && { sort, order }),
    group: oneOf(assetGroups, search.group),
    trash: view === "trash" ? ("true" as const) : ("false" as const),
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return { view, filter: Object.fromEntries(given) as AssetFilter };
}

export const isNarrowed = (filter: AssetFilter, view: View): boolean => {
  const { trash: _, sort: _by, order: _to, group: _with, ...narrowing } = filter;
  const { collectionId: _in, pick, source, ...rest } = narrowing;
  return (
    Object.values(rest).some((value) => value !== undefined) ||
    (pick !== undefined && view !== "kept") ||
    (source !== undefined && view !== "uploads")
  );
};

/** The parameters that filter or sort, which are kept across views. */
export const pickFilter = (search: Search): Search =>
  Object.fromEntries(filterKeys.map((key) => [key, search[key]]));

/**
 * The part of a filter that can be saved. A collection has its own, the trash is temporary, and a
 * similarity search may name a private file.
 */
export const toSaved = ({
  trash: _,
  collectionId: _in,
  similarTo: _as,
  sort,
  order,
  ...filter
}: AssetFilter) => ({
  ...filter,
  ...(sort && sort !== "position" && { sort, order: order ?? "desc" }),
});

/** A saved filter's address. The address's screen reports names that no longer exist. */
export function toSearch({
  connectionId,
  modelId,
  ...filter
}: Partial<Record<string, string>>): Search {
  if (!connectionId) return filter;
  return modelId
    ? { ...filter, model: toModelPath({ connectionId, modelId }) }
    : { ...filter, connection: connectionId };
}

/** Whether the library shows exactly what a saved filter finds, in its order. */
export function isSaved(
  saved: Partial<Record<string, string>>,
  { view, filter }: ReturnType<typeof readFilter>,
): boolean {
  return view === "all" && deepEqual(readFilter(toSearch(saved)).filter, filter);
}

/** The filter in the address; the same object until the address changes. */
export function useLibraryFilter() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const searchKey = JSON.stringify({
    ...pickFilter(search),
    view: search.view,
    collection: search.collection,
  });
  const read = useMemo(() => readFilter(JSON.parse(searchKey)), [searchKey]);
  return {
    ...read,
    set: (change: FilterChange) =>
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
  };
}
