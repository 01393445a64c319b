import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { assetName } from "../../../components/asset/asset-name.ts";
import { isProblem } from "../../../data/client.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import { collectionQuery } from "../../../data/queries/library/collections.queries.ts";
import { tagNamesQuery } from "../../../data/queries/library/tags.queries.ts";
import { type AssetFilter, assetModelsQuery } from "../../../data/queries/library.queries.ts";
import { membersQuery } from "../../../data/queries/project.queries.ts";
import {
  assetQuery,
  connectionsQuery,
  projectConnectionsQuery,
} from "../../../data/queries/shared.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";

/**
 * The names that the library can be filtered by. Nothing is reported as gone while it loads, or
 * because it couldn't be loaded.
 */
export function useFilterNames(filter: AssetFilter) {
  const { tags = "", collectionId = "", modelId, similarTo = "", createdBy } = filter;
  const { project } = useSession();
  const members = useInfiniteQuery(membersQuery(project.id, {}));
  const own = useQuery(connectionsQuery);
  const ofProject = useQuery(projectConnectionsQuery(project.id));
  const collection = useQuery(collectionQuery(project.id, collectionId));
  const models = useQuery({ ...assetModelsQuery(project.id), enabled: modelId !== undefined });
  const similar = useQuery({ ...assetQuery(similarTo), enabled: similarTo !== "" });
  const named = useQuery(tagNamesQuery(project.id, tags));
  const people = members.data?.pages.flatMap((page) => page.members) ?? [];
  const connections = [
    ...new Map(
      [...(own.data?.connections ?? []), ...(ofProject.data?.connections ?? [])].map((one) => [
        one.id,
        one,
      ]),
    ).values(),
  ];

  // Members come in pages by name, and the person may be on a later one.
  const isFound = people.some(({ userId }) => userId === createdBy);
  const { hasNextPage, isFetching, isError, fetchNextPage } = members;
  const isSought = createdBy !== undefined && !isFound && hasNextPage && !isError;
  useEffect(() => {
    // The chips and the empty state both ask for the page.
    if (isSought && !isFetching) void fetchNextPage({ cancelRefetch: false });
  }, [isSought, isFetching, fetchNextPage]);

  const loading = t("ui.loading");
  return {
    people,
    connections,
    personOf: (id: string) =>
      people.find(({ userId }) => userId === id)?.name ??
      (members.isSuccess && !members.isPlaceholderData && !isSought ? undefined : loading),
    connectionOf: (id: string) =>
      connections.find((connection) => connection.id === id)?.name ??
      (own.isSuccess && ofProject.isSuccess ? undefined : loading),
    modelOf: (connectionId: string, id: string) =>
      models.data?.models.find((one) => isSameModel(one, { connectionId, modelId: id }))?.name ??
      (models.isSuccess && !models.isPlaceholderData ? undefined : loading),
    similarOf: () => {
      if (isProblem(similar.error, "not_found")) return undefined;
      return similar.data
        ? t("library.similar.to", { name: assetName(similar.data.asset) })
        : loading;
    },
    collectionOf: () => {
      if (isProblem(collection.error, "not_found")) return undefined;
      const found = collection.data?.collection;
      if (!found) return loading;
      return found.trashedAt === null
        ? t("library.collection.named", { name: found.name })
        : undefined;
    },
    tagOf: (id: string) =>
      named.data?.tags.find((tag) => tag.id === id)?.name ??
      (named.isSuccess && !named.isPlaceholderData ? undefined : loading),
  };
}
