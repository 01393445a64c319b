import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/routes/index.schemas.ts";
import { call } from "../../data/client.ts";

/** More than two rows of a wide page hold. */
const recentMost = 24;
const talksMost = 6;

export const recentWorkQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["assets", projectId, "recent"],
    queryFn: ({ signal }) => call("listAssets", { query: { projectId, limit: recentMost }, signal }),
    placeholderData: keepPreviousData,
  });

export const recentTalksQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["conversations", projectId, "recent"],
    queryFn: ({ signal }) => call("listConversations", { query: { projectId, limit: talksMost }, signal }),
    placeholderData: keepPreviousData,
  });

export type StorageFacts = RouteOutput<"getStorage">;

/** Whether an admin has something to do about it. */
export const needsAdmin = ({ files, trouble }: StorageFacts): boolean => trouble !== null || files === "copy";

/** For admins alone. Nothing tells of a change: it is asked for each minute. */
export const storageQuery = queryOptions({
  queryKey: ["storage"],
  queryFn: ({ signal }) => call("getStorage", { signal }),
  refetchInterval: 60_000,
});
