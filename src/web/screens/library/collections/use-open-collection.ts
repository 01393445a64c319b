import { useInfiniteQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../../data/queries/library/collections.queries.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { isSaved, type View } from "../filter.ts";

/** The id of the open collection, or of the saved search whose filter is applied. */
export function useOpenCollection(view: View, filter: AssetFilter): string | undefined {
  const { project } = useSession();
  const { data } = useInfiniteQuery(collectionsQuery(project.id, {}));
  if (filter.collectionId !== undefined) return filter.collectionId;
  return data?.pages
    .flatMap(({ collections }) => collections)
    .find(({ query }) => query && isSaved(query, { view, filter }))?.id;
}
