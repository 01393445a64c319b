import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { signInPlaces } from "#contract/sign-in.ts";
import { call, ServerProblem } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";
import { connectionsQuery } from "./shared.queries.ts";

export type ConnectionKind = RouteOutput<"listKinds">["kinds"][number];
export type ConnectionField = ConnectionKind["fields"][number];
export type ListedConnection = RouteOutput<"listConnections">["connections"][number];
export type ConnectionValues = Record<string, string | number>;
export type FoundService = RouteOutput<"lookForServers">["found"][number];
/** The owner of a new connection: the instance, the person, or a project. */
export type ConnectionPlace =
  | { scope: "instance" | "user" }
  | { scope: "project"; projectId: string };

/** Services that the server detects by itself, for admins. */
export const foundServicesQuery = queryOptions({
  queryKey: keys.foundServices(),
  queryFn: async ({ signal }) => (await call("lookForServers", { signal })).found,
  retry: false,
});

/** A connection's models, with the fields that a list shows. */
export const connectionModelsQuery = (projectId: string, connectionId: string) =>
  queryOptions({
    queryKey: keys.models(projectId, "of", connectionId),
    queryFn: async ({ signal }) =>
      (await call("listModels", { query: { projectId, connectionId, limit: 200 }, signal })).models,
  });

/** The tasks offered as first steps, in this order. */
const firstTasks = ["chat", "image", "video", "speech", "music", "transcription"] as const;
const maxFirstSteps = 2;

/** A connection's models for first steps: those of its two most common tasks. */
export const firstStepsQuery = (projectId: string, connectionId: string) =>
  queryOptions({
    queryKey: keys.models(projectId, "first", connectionId),
    queryFn: async ({ signal }) => {
      const of = { projectId, connectionId };
      const { tasks } = await call("countModelTasks", { query: of, signal });
      const offered = firstTasks.filter((task) => tasks.some((count) => count.task === task));
      return Promise.all(
        offered.slice(0, maxFirstSteps).map(async (task) => {
          const order = task === "chat" ? "name" : "newest";
          const query = { ...of, task, order, limit: 200 } as const;
          return { task, models: (await call("listModels", { query, signal })).models };
        }),
      );
    },
  });

const whileLoadingMs = 2_000;

/** A local server's models, and which of them are in memory. */
export const localModelsQuery = (connectionId: string) =>
  queryOptions({
    queryKey: keys.loadedModels(connectionId),
    queryFn: ({ signal }) => call("listLocalModels", { params: { connectionId }, signal }),
    retry: false,
    refetchInterval: ({ state }) =>
      state.data?.models.some((model) => model.state === "loading" || model.state === "downloading")
        ? whileLoadingMs
        : false,
  });

export function useConnect(place: ConnectionPlace) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"createProjectConnection", "body"> & { take?: string }) =>
      place.scope === "project"
        ? call("createProjectConnection", { params: { projectId: place.projectId }, body })
        : call("createConnection", { body: { ...body, scope: place.scope } }),
    onSuccess: () => refreshAfter(queryClient, "connection"),
  });
}

/**
 * Checks a connection with one free call and its list of models. Fails with the provider's error,
 * which the connection then shows as well.
 */
export function useCheckConnection() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (connectionId: string) => call("checkConnection", { params: { connectionId } }),
    onSettled: () => refreshAfter(queryClient, "connection"),
  });
}

/** Opens the connection's server for sign-in, which leads back to the connection. */
export function useSignIn() {
  return useMutation({
    mutationFn: async (connectionId: string) => {
      const from =
        signInPlaces.find((place) => location.pathname.startsWith(`/${place}`)) ?? "settings";
      const { url } = await call("beginSignIn", { params: { connectionId }, body: { from } });
      if (/^https?:/.test(url)) location.assign(url);
    },
  });
}

type Change = RouteInput<"updateConnection", "body"> & { connectionId: string };

/** A saved connection that needs a sign-in isn't a failed form; the connection shows what to do. */
function unlessSignIn(error: unknown): null {
  if (error instanceof ServerProblem && error.body.needsSignIn === true) return null;
  throw error;
}

/**
 * Changes a connection and checks it if its address, options or key changed. Null means that no
 * check was needed, or that a sign-in is needed first.
 */
export function useChangeConnection() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ connectionId, ...body }: Change) => {
      await call("updateConnection", { params: { connectionId }, body });
      return body.values
        ? call("checkConnection", { params: { connectionId } }).catch(unlessSignIn)
        : null;
    },
    onSettled: () => refreshAfter(queryClient, "connection"),
  });
}

/** Disables or enables a connection. Shown immediately and reverted if the server refuses. */
export function useDisableConnection() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ connectionId, disabled }: { connectionId: string; disabled: boolean }) =>
      call("updateConnection", { params: { connectionId }, body: { disabled } }),
    onMutate: async ({ connectionId, disabled }) => {
      await queryClient.cancelQueries({ queryKey: connectionsQuery.queryKey });
      const before = queryClient.getQueryData(connectionsQuery.queryKey);
      const status = disabled ? ("disabled" as const) : ("unchecked" as const);
      queryClient.setQueryData(
        connectionsQuery.queryKey,
        (list) =>
          list && {
            ...list,
            connections: list.connections.map((one) =>
              one.id === connectionId ? { ...one, status } : one,
            ),
          },
      );
      return { before };
    },
    onError: (_error, _change, context) =>
      queryClient.setQueryData(connectionsQuery.queryKey, context?.before),
    onSettled: () => refreshAfter(queryClient, "connection"),
  });
}

export function useRemoveConnection() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (connectionId: string) => call("removeConnection", { params: { connectionId } }),
    onSuccess: () => refreshAfter(queryClient, "connection"),
  });
}
