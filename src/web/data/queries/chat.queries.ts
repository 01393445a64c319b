import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import type { Conversation } from "#contract/entities.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import type { Task } from "#contract/tasks.ts";
import { call } from "../client.ts";
import { type Key, keys } from "../keys.ts";
import { conversationQuery } from "./conversation.queries.ts";
import { assetQuery } from "./shared.queries.ts";

const pageSize = 100;

/** A person's folder or tag, to which the list and its search are limited. */
export type Filed = { folderId?: string; tag?: string };

export const conversationsQuery = (projectId: string, archived: boolean, filed: Filed = {}) =>
  infiniteQueryOptions({
    queryKey: keys.conversations(projectId, "list", archived, filed),
    queryFn: ({ pageParam, signal }) =>
      call("listConversations", {
        query: {
          projectId,
          archived: archived ? "true" : "false",
          ...filed,
          limit: pageSize,
          cursor: pageParam,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** The person's own conversations in a project's trash. */
export const trashedConversationsQuery = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: keys.conversations(projectId, "trash"),
    queryFn: ({ pageParam, signal }) =>
      call("listConversations", {
        query: { projectId, trash: "true", limit: pageSize, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** The person's conversation folders and tags in a project. */
export const foldersQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.conversations(projectId, "folders"),
    queryFn: ({ signal }) => call("listFolders", { query: { projectId }, signal }),
  });

/** The folder and tags of one conversation. */
export const filingQuery = (projectId: string, conversationId: string) =>
  queryOptions({
    queryKey: keys.conversations(projectId, "filing", conversationId),
    queryFn: ({ signal }) => call("getFiling", { params: { conversationId }, signal }),
  });

export const searchQuery = (projectId: string, q: string, filed: Filed = {}) =>
  queryOptions({
    queryKey: keys.conversations(projectId, "search", q, filed),
    queryFn: ({ signal }) =>
      call("searchConversations", { query: { projectId, q, ...filed }, signal }),
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });

/** The models of a task, or of all. */
export const modelsOfTaskQuery = (projectId: string, task: Task | undefined, search: string) =>
  queryOptions({
    queryKey: keys.models(projectId, task ?? "all", search),
    queryFn: ({ signal }) =>
      call("listModels", {
        query: { projectId, task, search: search || undefined, limit: 200 },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
export const chatModelsQuery = (projectId: string, search: string) =>
  modelsOfTaskQuery(projectId, "chat", search);

/** A message's file, which doesn't change while the message is read. */
export const messageFileQuery = (assetId: string) => ({
  ...assetQuery(assetId),
  staleTime: 5 * 60_000,
});

export type ConversationChange = RouteInput<"updateConversation", "body">;

type Pages = { pages: RouteOutput<"listConversations">[]; pageParams: unknown[] };
/** The part of a change that the cached conversation shows immediately. */
const applied = (
  conversation: Conversation,
  { archived, ...change }: ConversationChange,
): Conversation => ({
  ...conversation,
  ...change,
  ...(archived !== undefined && { archivedAt: archived ? Date.now() : null }),
});

/**
 * Changes a conversation. The change shows before the server answers and is reverted if the server
 * refuses.
 * @throws ServerProblem, TypeError
 */
export async function changeConversation(
  queryClient: QueryClient,
  conversation: Conversation,
  change: ConversationChange,
): Promise<void> {
  const opened = conversationQuery(conversation.id).queryKey;
  const lists = keys.conversations(conversation.projectId, "list");
  await Promise.all([
    queryClient.cancelQueries({ queryKey: opened }),
    queryClient.cancelQueries({ queryKey: lists }),
  ]);
  const undo = keepCached(queryClient, [opened, lists]);
  queryClient.setQueryData(
    opened,
    (before) => before && { ...before, conversation: applied(before.conversation, change) },
  );
  queryClient.setQueriesData<Pages>(
    { queryKey: lists },
    (before) => before && replaceIn(before, conversation.id, (old) => applied(old, change)),
  );
  try {
    const answer = await call("updateConversation", {
      params: { conversationId: conversation.id },
      body: change,
    });
    queryClient.setQueryData(opened, (before) => before && { ...before, ...answer });
  } catch (error) {
    undo();
    void queryClient.invalidateQueries({ queryKey: opened });
    throw error;
  } finally {
    void queryClient.invalidateQueries({ queryKey: keys.conversations(conversation.projectId) });
  }
}

/**
 * Moves a conversation to the trash; it leaves the list immediately.
 * @throws ServerProblem, TypeError
 */
export async function trashConversation(
  queryClient: QueryClient,
  conversation: Conversation,
): Promise<void> {
  const lists = keys.conversations(conversation.projectId, "list");
  await queryClient.cancelQueries({ queryKey: lists });
  const undo = keepCached(queryClient, [lists]);
  queryClient.setQueriesData<Pages>(
    { queryKey: lists },
    (before) => before && replaceIn(before, conversation.id, () => null),
  );
  try {
    await call("removeConversation", { params: { conversationId: conversation.id } });
  } catch (error) {
    undo();
    throw error;
  } finally {
    void readAgain(queryClient, conversation);
  }
}

/**
 * Restores a conversation from the trash.
 * @throws ServerProblem, TypeError
 */
export async function restoreConversation(
  queryClient: QueryClient,
  conversation: Conversation,
): Promise<void> {
  await call("restoreConversation", { params: { conversationId: conversation.id } });
  await readAgain(queryClient, conversation);
}

/**
 * Deletes a conversation in the trash for good.
 * @throws ServerProblem, TypeError
 */
export async function deleteConversation(
  queryClient: QueryClient,
  conversation: Conversation,
): Promise<void> {
  await call("deleteConversation", { params: { conversationId: conversation.id } });
  await readAgain(queryClient, conversation);
}

/** Refetches the lists and the conversation after it enters or leaves the trash. */
async function readAgain(queryClient: QueryClient, { id, projectId }: Conversation) {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.conversations(projectId) }),
    queryClient.invalidateQueries({ queryKey: conversationQuery(id).queryKey }),
  ]);
}

/**
 * Saves the current cached answers.
 * @returns a function that restores them
 */
function keepCached(queryClient: QueryClient, cached: readonly Key[]): () => void {
  const kept = cached.flatMap((queryKey) => queryClient.getQueriesData({ queryKey }));
  return () => {
    for (const [key, value] of kept) queryClient.setQueryData(key, value);
  };
}

function replaceIn(
  list: Pages,
  id: string,
  change: (conversation: Conversation) => Conversation | null,
): Pages {
  const replaced = (page: Pages["pages"][number]) => ({
    ...page,
    conversations: page.conversations.flatMap((known) =>
      known.id === id ? (change(known) ?? []) : known,
    ),
  });
  return { ...list, pages: list.pages.map(replaced) };
}
