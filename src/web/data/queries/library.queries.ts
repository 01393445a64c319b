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

/** What the gallery shows; each field is in the address. */
export type AssetFilter = Omit<RouteInput<"layoutAssets", "query">, "projectId">;
/** The answer with its ratios unpacked: width by height in thousandths. */
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

/** Sizes and days of all that a filter matches. Up to 100,000 numbers: comparing them by value would cost more than taking the new ones. */
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

/** One page, from one of the layout's cursors. */
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

/** The models that made what is in the library, most first. */
export const assetModelsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.assets(projectId, "models"),
    queryFn: ({ signal }) => call("countAssetModels", { query: { projectId }, signal }),
    placeholderData: keepPreviousData,
  });
export type AssetModel = RouteOutput<"countAssetModels">["models"][number];

type Change = Partial<Pick<Asset, "title" | "pick" | "rating" | "trashedAt">>;

/** Shows a change before the server has said yes: in every page that holds the asset, and on its own page. */
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

/** Asks for what is true now, after the last of several quick changes: an answer from between them would take the later ones back. */
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

/** Title, pick and rating of one asset; shown at once, taken back when the server refuses. */
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
      // An answer that is on its way is older than the change.
      void queryClient.cancelQueries({ queryKey: keys.asset(assetId) });
      showChange(queryClient, projectId, new Set([assetId]), change);
    },
    onSettled: (_answer, _error, { assetId }) => refresh(queryClient, [projectId], [assetId]),
  });
}

/** These assets, or all that a filter matches. */
export type ActTarget = { ids: readonly string[] } | { filter: AssetFilter };
export type AssetAct = {
  action: AssetAction;
  rating?: number;
  /** Names, of which new ones are made, or tags that there are. */
  tags?: string[];
  tagIds?: string[];
  collectionId?: string;
  /** Of a collection that is put back: where each was in it. */
  orderKeys?: string[];
  toProjectId?: string;
  /** Where it is done, if elsewhere: what takes a move back begins in the other project. */
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
    mutationFn: ({ target, ...act }: AssetAct & { target: ActTarget }) =>
      call("updateAssets", {
        body:
          "ids" in target
            ? { projectId, ...act, ids: [...target.ids] }
            : { projectId, ...act, filter: target.filter },
      }),
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
