import type { z } from "zod";
import type { Asset } from "#contract/entities.ts";
import { assetRanges } from "#contract/filters/asset-filters.ts";
import type { assetSchemas } from "#contract/schemas/assets.ts";
import { foldWords } from "#domain/text/search-words.ts";
import type { LibraryScope } from "#engine/threads/lists/kept-libraries.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import type { LibraryView } from "#store/content/library-views.ts";
import { findTagsByWords } from "#store/content/tags.ts";
import type { Store } from "#store/database/store.ts";
import type { ServerDeps } from "../deps.ts";

type Filter = z.output<typeof assetSchemas.layoutAssets.query>;
type ListQuery = z.output<typeof assetSchemas.listAssets.query>;

/** What a filter asks of whose library. Words are also looked for in the names of tags. */
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
  return { scope, view: viewOf(filter) };
}

function viewOf(filter: Filter): LibraryView {
  const { kind, pick, source, connectionId, modelId, task, createdBy, aspect, used } = filter;
  const { sort, order, trash, tags, tagMatch } = filter;
  const ranges = Object.fromEntries(
    assetRanges.flatMap((field) => (filter[field] === undefined ? [] : [[field, filter[field]]])),
  );
  return {
    ...{ kind, pick, source, connectionId, modelId, task, createdBy, aspect },
    used: used && used === "true",
    tags: tags && { ids: tags, match: tagMatch },
    ranges: Object.keys(ranges).length > 0 ? ranges : undefined,
    sort: sort === "createdAt" && order === "desc" ? undefined : { by: sort, order },
    trash: trash === "true",
  };
}

/** What an index of the database has in the order asked for is read by it; everything else comes from the library in memory. */
const isIndexed = ({
  connectionId,
  modelId,
  task,
  createdBy,
  aspect,
  used,
  tags,
  ranges,
  sort,
}: LibraryView) =>
  (connectionId === undefined) === (modelId === undefined) &&
  [task, createdBy, aspect, used, tags, ranges, sort].every((field) => field === undefined);

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
