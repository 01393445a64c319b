import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "../../client.ts";
import { keys } from "../../keys.ts";
import type { ActionTarget } from "../library.queries.ts";

/** The most tags that a picker shows. */
const shownTags = 50;

/** Tags that begin with the typed text, most used first. */
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

/** All tags, in pages. */
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

/** The names of a filter's tags. A tag missing from the answer was deleted. */
export const tagNamesQuery = (projectId: string, ids: string) =>
  queryOptions({
    queryKey: keys.tags(projectId, "named", ids),
    queryFn: ({ signal }) => call("listTags", { query: { projectId, ids }, signal }),
    enabled: ids !== "",
    placeholderData: keepPreviousData,
  });

/**
 * The tags of several assets. Tagging can change what a filter matches, so this is refetched every
 * time.
 */
export const tagsOfQuery = (projectId: string, target: ActionTarget) =>
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
