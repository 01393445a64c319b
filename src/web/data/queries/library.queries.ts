import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Asset } from "#contract/entities.ts";
import type { AssetAction } from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/** The gallery's filter. Each field is in the address. */
export type AssetFilter = Omit<RouteInput<"layoutAssets", "query">, "projectId">;
/** The layout with its ratios unpacked: width by height in thousandths. */
export type Layout = Omit<RouteOutput<"layoutAssets">, "ratios"> & {
  packedRatios: string;
  ratios: Uint16Array;
};
type Page = RouteOutput<"listAssets">;

function unpackRatios(packed: string): Uint16Array {
  const text = atob(packed);
  return Uint16Array.from(
    { length: text.length / 2 },
    (_, place) => text.charCodeAt(2 * place) | (text.charCodeAt(2 * place + 1) << 8),
  );
}

/**
 * The sizes and days of everything that a filter matches. Structural sharing is off, because
 * comparing up to 100,000 numbers costs more than replacing them.
 */
export const layoutQuery = (projectId: string, filter: AssetFilter) =>
  queryOptions({
    queryKey: keys.assets(projectId, "layout", filter),
    queryFn: async ({ signal }): Promise<Layout> => {
      const { ratios, ...rest } = await call("layoutAssets", {
        query: { projectId, ...filter },
        signal,
      });
      return { ...rest, packedRatios: ratios, ratios: unpackRatios(ratios) };
    },
    structuralSharing: false,
    gcTime: 60_000,
  });

/** One page, starting at one of the layout's cursors. */
export const pageQuery = (projectId: string, filter: AssetFilter, cursor: string) =>
  queryOptions({
    queryKey: keys.assets(projectId, "page", filter, cursor),
    queryFn: ({ signal }) =>
      call("listAssets", {
        query: { projectId, ...filter, cursor, limit: limits.pageSize },
        signal,
      }),
  });

export const countsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.assets(projectId, "counts"),
    queryFn: ({ signal }) => call("countAssets", { query: { projectId }, signal }),
    placeholderData: keepPreviousData,
  });

/** The models that made the library's assets, most used first. */
export const assetModelsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.assets(projectId, "models"),
    queryFn: ({ signal }) => call("countAssetModels", { query: { projectId }, signal }),
    placeholderData: keepPreviousData,
  });
export type AssetModel = RouteOutput<"countAssetModels">["models"][number];

type Change = Partial<Pick<Asset, "title" | "pick" | "rating" | "trashedAt">>;

/**
 * Shows a change before the server confirms it, in every page that contains the asset and on the
 * asset's own page.
 */
function showChange(
  queryClient: QueryClient,
  projectId: string,
  ids: ReadonlySet<string>,
  change: Change,
): void {
  const changed = (asset: Asset): Asset => (ids.has(asset.id) ? { ...asset, ...change } : asset);
  queryClient.setQueriesData<Page>({ queryKey: keys.assets(projectId, "page") }, (page) =>
    page?.assets.some(({ id }) => ids.has(id))
      ? { ...page, assets: page.assets.map(changed) }
      : page,
  );
  for (const id of ids)
    queryClient.setQueryData<RouteOutput<"getAsset">>(
      keys.asset(id),
      (detail) => detail && { ...detail, asset: changed(detail.asset) },
    );
}

const changing = ["change-assets"];

/**
 * Refetches after the last of several quick changes. An answer from between them would revert the
 * later ones.
 */
async function refresh(
  queryClient: QueryClient,
  projectIds: readonly string[],
  ids: readonly string[],
): Promise<void> {
  const stale = [
    ...projectIds.flatMap((id) => [keys.assets(id), keys.tags(id), keys.collections(id)]),
    ...ids.map((id) => keys.asset(id)),
  ];
  if (queryClient.isMutating({ mutationKey: changing }) > 1) return;
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/**
 * Changes an asset's title, mark and rating. Shown immediately and reverted if the server refuses.
 */
export function useUpdateAsset(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: changing,
    mutationFn: ({
      assetId,
      ...body
    }: {
      assetId: string;
      title?: string;
      pick?: Asset["pick"];
      rating?: number;
    }) => call("updateAsset", { params: { assetId }, body }),
    onMutate: ({ assetId, ...change }) => {
      // A pending answer is older than the change.
      void queryClient.cancelQueries({ queryKey: keys.asset(assetId) });
      showChange(queryClient, projectId, new Set([assetId]), change);
    },
    onSettled: (_answer, _error, { assetId }) => refresh(queryClient, [projectId], [assetId]),
  });
}

/** A list of assets, or everything that a filter matches, without exceptions. */
export type ActionTarget =
  | { ids: readonly string[] }
  | { filter: AssetFilter; exceptIds?: readonly string[] };

/** A target as the API takes it. */
export const toSelection = (target: ActionTarget) =>
  "ids" in target
    ? { ids: [...target.ids] }
    : {
        filter: target.filter,
        ...(target.exceptIds?.length && { exceptIds: [...target.exceptIds] }),
      };

export type AssetAct = {
  action: AssetAction;
  rating?: number;
  /** `tags` are names, created if missing; `tagIds` are existing tags. */
  tags?: string[];
  tagIds?: string[];
  collectionId?: string;
  /** For assets returned to a collection: their previous positions. */
  orderKeys?: string[];
  toProjectId?: string;
  /**
   * The project to act in, if it isn't the current one: undoing a move starts in the other project.
   */
  projectId?: string;
};

const changeOf = ({ action, rating }: AssetAct): Change | undefined =>
  ({
    keep: { pick: "kept" as const },
    unkeep: { pick: "none" as const },
    reject: { pick: "rejected" as const },
    rate: { rating: rating ?? 0 },
    tag: undefined,
    untag: undefined,
    collect: undefined,
    uncollect: undefined,
    move: undefined,
    trash: undefined,
    restore: undefined,
    delete: undefined,
  })[action];

/** Keeps, rejects, rates, tags, collects, moves, trashes, restores or deletes several. */
export function useUpdateAssets(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: changing,
    mutationFn: ({ target, ...act }: AssetAct & { target: ActionTarget }) =>
      call("updateAssets", { body: { projectId, ...act, ...toSelection(target) } }),
    onMutate: ({ target, ...act }) => {
      const change = changeOf(act);
      if (change && "ids" in target)
        showChange(queryClient, projectId, new Set(target.ids), change);
    },
    onSettled: (_answer, _error, { target, ...act }) =>
      refresh(
        queryClient,
        [projectId, act.projectId, act.toProjectId].filter((id) => id !== undefined),
        "ids" in target ? target.ids : [],
      ),
  });
}
