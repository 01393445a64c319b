import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type OwnKey = RouteOutput<"listKeys">["keys"][number];
export type AnyKey = RouteOutput<"listAllKeys">["keys"][number];
/** A new key with its secret, which is shown only once, to its author. */
export type CreatedKey = RouteOutput<"createKey">;
type KeyBudget = RouteInput<"setKeyBudget", "body">;

export const keysQuery = queryOptions({
  queryKey: keys.keys("mine"),
  queryFn: async ({ signal }) => (await call("listKeys", { signal })).keys,
});

/** Everyone's keys, in pages, for admins. */
export const allKeysQuery = (filter: { q?: string }) =>
  infiniteQueryOptions({
    queryKey: keys.keys("all", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listAllKeys", { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });

function useKeyMutation<Given, Answer>(mutationFn: (given: Given) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => refreshAfter(queryClient, "key"),
  });
}

export const useCreateKey = () =>
  useKeyMutation((body: RouteInput<"createKey", "body">) => call("createKey", { body }));
export const useRotateKey = () =>
  useKeyMutation((keyId: string) => call("rotateKey", { params: { keyId } }));
export const useRevokeKey = () =>
  useKeyMutation((keyId: string) => call("revokeKey", { params: { keyId } }));
export const useRevokeAnyKey = () =>
  useKeyMutation((keyId: string) => call("revokeAnyKey", { params: { keyId } }));

/**
 * Updates a key's permissions, then its budgets in sequence; stops at the first that is refused.
 */
export const useUpdateKey = () =>
  useKeyMutation(
    async (given: {
      keyId: string;
      change: RouteInput<"updateKey", "body">;
      budgets: KeyBudget[];
    }) => {
      const params = { keyId: given.keyId };
      const changed = await call("updateKey", { params, body: given.change });
      for (const body of given.budgets) await call("setKeyBudget", { params, body });
      return changed;
    },
  );
