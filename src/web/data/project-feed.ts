import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Change } from "#contract/entities.ts";
import { live } from "./live.ts";

/**
 * Which cached answers a change of a project makes stale. Keys begin with what they are and hold the project's or the
 * thing's id next: ["runs", projectId, ...], ["run", runId].
 */
export const keysOf = (projectId: string, change: Pick<Change, "kind" | "id">): unknown[][] =>
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
  })[change.kind];

const gatherMs = 150;

/** Keeps every list of a project true while it is open: notices are gathered, then each stale answer is asked for once. */
export function watchProject(queryClient: QueryClient, projectId: string): () => void {
  let waiting = new Map<string, unknown[]>();
  let timer: number | undefined;
  const flush = (): void => {
    timer = undefined;
    const keys = [...waiting.values()];
    waiting = new Map();
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey });
  };
  const add = (keys: unknown[][]): void => {
    for (const key of keys) waiting.set(JSON.stringify(key), key);
    timer ??= window.setTimeout(flush, gatherMs);
  };
  const unwatch = live().watch(`project:${projectId}`, -1, (frame) => {
    if ("changes" in frame) for (const change of frame.changes) add(keysOf(projectId, change));
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
  return () => {
    unwatch();
    window.clearTimeout(timer);
  };
}

export function useProjectFeed(projectId: string | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => (projectId ? watchProject(queryClient, projectId) : undefined), [queryClient, projectId]);
}
