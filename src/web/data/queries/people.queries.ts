import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type ListedPerson = RouteOutput<"listPeople">["people"][number];
/** A one-time link: whoever made it sees it once. */
export type MadeLink = RouteOutput<"createInvite">;

export const peopleQuery = queryOptions({
  queryKey: keys.people(),
  queryFn: ({ signal }) => call("listPeople", { signal }),
});

function usePeopleMutation<Given, Answer>(mutationFn: (given: Given) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => refreshAfter(queryClient, "person"),
  });
}

export const useCreateInvite = () =>
  usePeopleMutation((body: RouteInput<"createInvite", "body">) => call("createInvite", { body }));
export const useRemoveInvite = () =>
  usePeopleMutation((inviteId: string) => call("removeInvite", { params: { inviteId } }));
export const useCreatePasswordLink = () =>
  usePeopleMutation((userId: string) => call("createPasswordLink", { params: { userId } }));
export const useHandOver = () =>
  usePeopleMutation(({ userId, toUserId }: { userId: string; toUserId: string }) =>
    call("handOver", { params: { userId }, body: { toUserId } }),
  );

type PersonChange = RouteInput<"updatePerson", "body"> & { userId: string };

/** Role or state of a person: at once on screen, and back when the server refuses. */
export function useUpdatePerson() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ userId, ...body }: PersonChange) =>
      call("updatePerson", { params: { userId }, body }),
    onMutate: async ({ userId, ...change }) => {
      await queryClient.cancelQueries({ queryKey: peopleQuery.queryKey });
      const before = queryClient.getQueryData(peopleQuery.queryKey);
      queryClient.setQueryData(
        peopleQuery.queryKey,
        (answer) =>
          answer && {
            ...answer,
            people: answer.people.map((person) =>
              person.id === userId ? { ...person, ...change } : person,
            ),
          },
      );
      return { before };
    },
    onError: (_error, _change, context) =>
      queryClient.setQueryData(peopleQuery.queryKey, context?.before),
    onSettled: () => refreshAfter(queryClient, "person"),
  });
}
