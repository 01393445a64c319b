import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Change } from "#contract/entities.ts";
import { live } from "./live.ts";
import { refreshLists } from "./refresh-pages.ts";

/**
 * Which cached answers a change of a project makes stale. Keys begin with what they are and hold the project's or the
 * thing's id next: ["runs", projectId, ...], ["run", runId].
 */
const keysOf = (projectId: string, change: Pick<Change, "kind" | "id">): unknown[][] =>
  ({
    run: [
      ["runs", projectId],
      ["batches", projectId],
      ["run", change.id],
    ],
    asset: [
      ["assets", projectId],
      ["asset", change.id],
    ],
    conversation: [
      ["conversations", projectId],
      ["conversation", change.id],
    ],
    project: [["me"], ["project", projectId]],
    budget: [["budgets"], ["needs-you"]],
  })[change.kind];

const gatherMs = 150;

type Stale = { queryKey: unknown[]; ids: Set<string> };

/** Keeps every list of a project true while it is open: notices are gathered, then each stale answer is asked for once. */
function watchProject(queryClient: QueryClient, projectId: string): () => void {
  let waiting = new Map<string, Stale>();
  let timer: number | undefined;
  /** One after the other, so that an older answer never comes over a newer one. */
  let refreshing = Promise.resolve();
  const flush = (): void => {
    timer = undefined;
    const stale = [...waiting.values()];
    waiting = new Map();
    refreshing = refreshing.then(async () => {
      await Promise.all(stale.map(({ queryKey, ids }) => refreshLists(queryClient, queryKey, ids)));
    });
  };
  /** @param id of what changed; without it anything may have, and lists are read again whole */
  const add = (keys: unknown[][], id?: string): void => {
    for (const queryKey of keys) {
      if (id === undefined) {
        void queryClient.invalidateQueries({ queryKey });
        continue;
      }
      const key = JSON.stringify(queryKey);
      const stale = waiting.get(key) ?? { queryKey, ids: new Set() };
      waiting.set(key, stale);
      stale.ids.add(id);
    }
    timer ??= window.setTimeout(flush, gatherMs);
  };
  const unwatch = live().watch(`project:${projectId}`, -1, (frame) => {
    if ("changes" in frame)
      for (const change of frame.changes) add(keysOf(projectId, change), change.id);
    if ("at" in frame && frame.missed)
      add([
        ["runs", projectId],
        ["batches", projectId],
        ["assets", projectId],
        ["conversations", projectId],
        ["conversation"],
        ["run"],
        ["asset"],
      ]);
    if ("gone" in frame) add([["me"]]);
  });
  // A server that stops tells of a change and can't be asked about it any more. Its successor does not tell of it again.
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
    window.clearTimeout(timer);
  };
}

export function useProjectFeed(projectId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(
    () => (projectId ? watchProject(queryClient, projectId) : undefined),
    [queryClient, projectId],
  );
}
