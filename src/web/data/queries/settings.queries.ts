import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput } from "#contract/schemas/index.ts";
import { meQuery } from "../app-data.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions(),
  queryFn: async ({ signal }) => (await call("listSessions", { signal })).sessions,
});

/** Changes the person's own name. */
export function useUpdateMe() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"updateMe", "body">) => call("updateMe", { body }),
    onSettled: () => refreshAfter(queryClient, "account"),
  });
}

/** Changes the person's own preferences. Shown immediately and reverted if the server refuses. */
export function useUpdatePreferences() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"updatePreferences", "body">) =>
      call("updatePreferences", { body }),
    onMutate: async ({ defaults, ...change }) => {
      await queryClient.cancelQueries({ queryKey: meQuery.queryKey });
      const before = queryClient.getQueryData(meQuery.queryKey);
      queryClient.setQueryData(
        meQuery.queryKey,
        (me) =>
          me && {
            ...me,
            user: {
              ...me.user,
              ...change,
              defaults: { ...me.user.defaults, ...defaults },
            },
          },
      );
      return { before };
    },
    onError: (_error, _change, context) =>
      queryClient.setQueryData(meQuery.queryKey, context?.before),
    onSettled: () => refreshAfter(queryClient, "account"),
  });
}

export function useChangePassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"changePassword", "body">) => call("changePassword", { body }),
    onSuccess: () => refreshAfter(queryClient, "session"),
  });
}

/** Ends sessions in sequence; stops at the first that fails. */
export function useEndSessions() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (sessionIds: readonly string[]) => {
      for (const sessionId of sessionIds) await call("revokeSession", { params: { sessionId } });
    },
    onSettled: () => refreshAfter(queryClient, "session"),
  });
}
