import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/** What several screens ask for. What one screen caches under a key (keys.ts), another reads. */

/** Whether the instance is set up, and how the line to it is. */
export const instanceQuery = queryOptions({
  queryKey: keys.instance(),
  queryFn: ({ signal }) => call("getInstance", { signal }),
  retry: false,
});

/** The connections that one may use or manage, without those of projects. */
export const connectionsQuery = queryOptions({
  queryKey: keys.connections(),
  queryFn: ({ signal }) => call("listConnections", { signal }),
});

/** Those that belong to a project. */
export const projectConnectionsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.connections("project", projectId),
    queryFn: ({ signal }) => call("listProjectConnections", { params: { projectId }, signal }),
  });

/** The kinds of connection that one can make, with their fields; which are free of charge is theirs to say. */
export const kindsQuery = queryOptions({
  queryKey: keys.connectionKinds(),
  queryFn: async ({ signal }) => (await call("listKinds", { signal })).kinds,
  staleTime: Number.POSITIVE_INFINITY,
});

const silentMs = 5_000;

/** The run is over, and the address that it was given has not heard of it yet. */
const isCalling = (detail: RouteOutput<"getRun"> | undefined): boolean =>
  detail?.webhook?.status === "waiting" && detail.run.finishedAt !== null;

/** A run with what it made; nothing is asked without an id. */
export const runQuery = (runId: string | null) =>
  queryOptions({
    queryKey: keys.run(runId ?? ""),
    queryFn: ({ signal }) => call("getRun", { params: { runId: runId ?? "" }, signal }),
    enabled: runId !== null,
    // No event tells a queued run that its service is paused, or for how much longer, nor what became of its webhook.
    refetchInterval: ({ state: { data } }) =>
      data?.run.state === "queued" || isCalling(data) ? silentMs : false,
  });

/** An asset with its recipe. */
export const assetQuery = (assetId: string) =>
  queryOptions({
    queryKey: keys.asset(assetId),
    queryFn: ({ signal }) => call("getAsset", { params: { assetId }, signal }),
  });

/** What was made with an asset, behind the page that came with it. Asked for by hand alone. */
export const madeFromQuery = (assetId: string, next: string | null) =>
  infiniteQueryOptions({
    queryKey: keys.asset(assetId, "made-from", next),
    queryFn: ({ pageParam, signal }) =>
      call("listMadeFrom", {
        params: { assetId },
        query: { cursor: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: next,
    getNextPageParam: (last) => last.next,
    enabled: false,
  });
