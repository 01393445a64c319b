import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/** More than two rows of a wide page show. */
const maxRecent = 24;
const maxConversations = 6;

export const recentWorkQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.assets(projectId, "recent"),
    queryFn: ({ signal }) => call("listAssets", { query: { projectId, limit: maxRecent }, signal }),
    placeholderData: keepPreviousData,
  });

export const recentConversationsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.conversations(projectId, "recent"),
    queryFn: ({ signal }) =>
      call("listConversations", { query: { projectId, limit: maxConversations }, signal }),
    placeholderData: keepPreviousData,
  });
/** A few results of each kind. A search is canceled if its text changes. */
export const searchQuery = (projectId: string, q: string) =>
  queryOptions({
    queryKey: keys.search(projectId, q),
    queryFn: ({ signal }) => call("search", { query: { projectId, q }, signal }),
    enabled: q !== "",
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    retry: false,
  });
