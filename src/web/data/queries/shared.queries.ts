import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/**
 * Queries that several screens share. A screen reads what another screen cached under the same key
 * (keys.ts).
 */

/** Whether the instance is set up, and how this browser is connected to it. */
export const instanceQuery = queryOptions({
  queryKey: keys.instance(),
  queryFn: ({ signal }) => call("getInstance", { signal }),
  retry: false,
});

/** The connections that the person may use or manage, without those of projects. */
export const connectionsQuery = queryOptions({
  queryKey: keys.connections(),
  queryFn: ({ signal }) => call("listConnections", { signal }),
});

/** The connections that belong to a project. */
export const projectConnectionsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.connections("project", projectId),
    queryFn: ({ signal }) => call("listProjectConnections", { params: { projectId }, signal }),
  });

/**
 * The kinds of connections that can be added, with their fields and whether each is free of charge.
 */
export const kindsQuery = queryOptions({
  queryKey: keys.connectionKinds(),
  queryFn: async ({ signal }) => (await call("listKinds", { signal })).kinds,
  staleTime: Number.POSITIVE_INFINITY,
});

const silentMs = 5_000;

/** Whether the run is over and its webhook hasn't been delivered yet. */
const isCalling = (detail: RouteOutput<"getRun"> | undefined): boolean =>
  detail?.webhook?.status === "waiting" && detail.run.finishedAt !== null;

/** A run with its results. Without an id, no request is sent. */
export const runQuery = (runId: string | null) =>
  queryOptions({
    queryKey: keys.run(runId ?? ""),
    queryFn: ({ signal }) => call("getRun", { params: { runId: runId ?? "" }, signal }),
    enabled: runId !== null,
    // No event reports that a queued run's service is paused, for how long, or whether the run's
    // webhook was delivered.
    refetchInterval: ({ state: { data } }) =>
      data?.run.state === "queued" || isCalling(data) ? silentMs : false,
  });

/** An asset with its recipe. */
export const assetQuery = (assetId: string) =>
  queryOptions({
    queryKey: keys.asset(assetId),
    queryFn: ({ signal }) => call("getAsset", { params: { assetId }, signal }),
  });

/** The assets made from an asset, beyond the page that comes with it. Loaded only on request. */
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
