import type { z } from "zod";
import type { Asset } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { assetRanges } from "#contract/filters/asset-filters.ts";
import type { assetSchemas } from "#contract/schemas/assets.ts";
import { sentences } from "#contract/sentences/index.ts";
import { foldWords } from "#domain/text/search-words.ts";
import type { LibraryScope } from "#engine/threads/lists/library-cache.ts";
import { getAssetsIn, getHash } from "#store/content/assets.ts";
import { getCollection } from "#store/content/collections.ts";
import type { LibraryView } from "#store/content/library-views.ts";
import { findTagsByWords } from "#store/content/tags.ts";
import type { Store } from "#store/database/store.ts";
import type { ServerDeps } from "../deps.ts";

type Filter = z.output<typeof assetSchemas.layoutAssets.query>;
type ListQuery = z.output<typeof assetSchemas.listAssets.query>;

/**
 * Converts a filter to a library's scope and view. Words are also searched in the names of tags.
 */
export async function askOf(
  { read }: Pick<Store, "read">,
  userId: string,
  filter: Filter,
): Promise<{ scope: LibraryScope; view: LibraryView }> {
  const { projectId, q } = filter;
  const words = [...new Set(foldWords(q ?? ""))];
  const tagged = await findTagsByWords(read, projectId, words);
  const scope = {
    projectId,
    userId,
    ...(words.length > 0 && { q: words.join(" ") }),
    ...(Object.keys(tagged).length > 0 && { tagged }),
  };
  const view = viewOf(filter);
  if (view.sort?.by === "position" && filter.collectionId === undefined)
    throw new Problem("invalid_input", {
      field: "sort",
      message: sentences.collections.positionAlone,
    });
  const similarTo =
    filter.similarTo && ((await getHash(read, { projectId, userId }, filter.similarTo)) ?? "");
  // A collection keeps its assets while it is in the trash.
  const isGone =
    similarTo === "" ||
    (filter.collectionId !== undefined &&
      (await getCollection(read, filter.collectionId))?.trashedAt !== null);
  const found = similarTo ? { ...view, similarTo } : view;
  return { scope, view: isGone ? { ...found, collection: { ids: [], match: "any" } } : found };
}

function viewOf(filter: Filter): LibraryView {
  const { kind, pick, source, connectionId, modelId, task, state, createdBy, aspect } = filter;
  const { used, trash, tags, tagMatch, collectionId, group } = filter;
  const ranges = Object.fromEntries(
    assetRanges.flatMap((field) => (filter[field] === undefined ? [] : [[field, filter[field]]])),
  );
  return {
    ...{ kind, pick, source, connectionId, modelId, task, state, createdBy, aspect, group },
    used: used && used === "true",
    tags: tags && { ids: tags, match: tagMatch },
    ranges: Object.keys(ranges).length > 0 ? ranges : undefined,
    collection: collectionId === undefined ? undefined : { ids: [collectionId], match: "all" },
    sort: sortOf(filter),
    trash: trash === "true",
  };
}

function sortOf({ sort, order, collectionId }: Filter): LibraryView["sort"] {
  if (sort === "position") return { by: sort, collectionId: collectionId ?? "" };
  return sort === "createdAt" && order === "desc" ? undefined : { by: sort, order };
}

/**
 * Whether a database index covers the filter and the order. Everything else is answered from the
 * library in memory.
 */
const isIndexed = ({
  connectionId,
  modelId,
  task,
  state,
  createdBy,
  aspect,
  used,
  tags,
  collection,
  ranges,
  sort,
  group,
  similarTo,
}: LibraryView) =>
  (connectionId === undefined) === (modelId === undefined) &&
  [task, state, createdBy, aspect, used, tags, collection, ranges, sort, group, similarTo].every(
    (field) => field === undefined,
  );

export async function listLibrary(
  { store, lists }: Pick<ServerDeps, "store" | "lists">,
  userId: string,
  query: ListQuery,
): Promise<{ assets: Asset[]; next: string | null }> {
  const { scope, view } = await askOf(store, userId, query);
  if (isIndexed(view) && !scope.tagged)
    return lists.listAssets({ ...query, userId, trash: view.trash });
  const { ids, next } = await lists.libraries.page(scope, view, query);
  return { assets: await getAssetsIn(store.read, query.projectId, userId, ids), next };
}
