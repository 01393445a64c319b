import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../client.ts";
import { keys } from "../../keys.ts";
import type { ActTarget } from "../library.queries.ts";

/** As many as a list to choose from shows at once. */
const shownTags = 50;

/** Most used first, of those that begin with what is typed. */
export const tagsQuery = (projectId: string, q: string) =>
  queryOptions({
    queryKey: keys.tags(projectId, "list", q),
    queryFn: ({ signal }) =>
      call("listTags", {
        query: { projectId, ...(q && { q }), limit: shownTags },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/** All of them, a page at a time. */
export const tagPagesQuery = (projectId: string, q: string) =>
  infiniteQueryOptions({
    queryKey: keys.tags(projectId, "pages", q),
    queryFn: ({ pageParam, signal }) =>
      call("listTags", {
        query: { projectId, ...(q && { q }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

/** The names of those that a filter has. One that is not in the answer was deleted. */
export const tagNamesQuery = (projectId: string, ids: string) =>
  queryOptions({
    queryKey: keys.tags(projectId, "named", ids),
    queryFn: ({ signal }) => call("listTags", { query: { projectId, ids }, signal }),
    enabled: ids !== "",
    placeholderData: keepPreviousData,
  });

/** The tags of several assets. Which of them a filter matches changes with the tags: it is asked anew each time. */
export const tagsOfQuery = (projectId: string, target: ActTarget) =>
  queryOptions({
    queryKey: keys.tags(projectId, "of", target),
    queryFn: ({ signal }) =>
      call("countTags", {
        body:
          "ids" in target
            ? { projectId, ids: [...target.ids] }
            : { projectId, filter: target.filter },
        signal,
      }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
