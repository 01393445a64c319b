import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Change } from "#contract/entities.ts";
import { conversationOf, type Key, keysOfChange, keysOfGap, refreshAfter } from "./keys.ts";
import { live } from "./live/live.ts";
import { refreshConversation } from "./queries/conversation.queries.ts";
import { refreshLists, refreshWholeLists } from "./refresh-pages.ts";

const batchDelayMs = 150;

/**
 * The last feed position read in this tab, per project, so that a project's cached lists are
 * brought up to date when it is opened again.
 */
const positions = new Map<string, number>();

type Stale = { queryKey: Key; ids: Set<string> };

/**
 * Keeps a project's lists current while the project is open. Notices are collected, then each stale
 * answer is refetched once.
 */
function watchProject(queryClient: QueryClient, projectId: string): () => void {
  let waiting = new Map<string, Stale>();
  let timer: number | undefined;
  /** Refreshes run in sequence, so that an older answer never replaces a newer one. */
  let refreshing = Promise.resolve();
  const flush = (): void => {
    timer = undefined;
    const stale = [...waiting.values()];
    waiting = new Map();
    refreshing = refreshing.then(async () => {
      await Promise.all(
        stale.map(({ queryKey, ids }) => {
          const conversationId = conversationOf(queryKey);
          return conversationId === undefined
            ? refreshLists(queryClient, queryKey, ids)
            : refreshConversation(queryClient, conversationId, ids);
        }),
      );
    });
  };
  const add = (change: Change): void => {
    for (const queryKey of keysOfChange(projectId, change)) {
      const key = JSON.stringify(queryKey);
      const stale = waiting.get(key) ?? { queryKey, ids: new Set() };
      waiting.set(key, stale);
      const ids = conversationOf(queryKey) === undefined ? [change.id] : (change.messageIds ?? []);
      for (const id of ids) stale.ids.add(id);
    }
    timer ??= window.setTimeout(flush, batchDelayMs);
  };
  const unwatch = live().watch(`project:${projectId}`, positions.get(projectId) ?? -1, (frame) => {
    if ("changes" in frame) {
      for (const change of frame.changes) add(change);
      positions.set(projectId, frame.changes.at(-1)!.seq);
    }
    if ("at" in frame) {
      positions.set(projectId, frame.at);
      if (frame.missed)
        for (const queryKey of keysOfGap(projectId)) void refreshWholeLists(queryClient, queryKey);
    }
    if ("gone" in frame) void refreshAfter(queryClient, "account");
  });
  // A stopping server can report a change and then fail to answer the refetch. Its successor
  // doesn't report the change again.
  const unsubscribe = live().status.subscribe(() => {
    if (!live().status.isDown())
      void queryClient.refetchQueries({
        type: "active",
        predicate: ({ state }) => state.isInvalidated,
      });
  });
  return () => {
    unwatch();
    unsubscribe();
    if (timer === undefined) return;
    window.clearTimeout(timer);
    // The collected notices count as read and won't be sent again.
    flush();
  };
}

export function useProjectFeed(projectId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(
    () => (projectId ? watchProject(queryClient, projectId) : undefined),
    [queryClient, projectId],
  );
}
