import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type ListedPerson = RouteOutput<"listPeople">["people"][number];
/** A one-time link, which is shown only once, to its author. */
export type CreatedLink = RouteOutput<"createInvite">;

export type PeopleFilter = Pick<RouteInput<"listPeople", "query">, "q" | "status">;

/** People by name, in pages. */
export const peopleQuery = (filter: PeopleFilter) =>
  infiniteQueryOptions({
    queryKey: keys.people(filter),
    queryFn: ({ pageParam, signal }) =>
      call("listPeople", { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });
/** All projects by name, for admins. */
export const adminProjectsQuery = (filter: { q?: string }) =>
  infiniteQueryOptions({
    queryKey: keys.adminProjects(filter),
    queryFn: ({ pageParam, signal }) =>
      call("listAdminProjects", { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });

type Pages = InfiniteData<RouteOutput<"listPeople">>;

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

/** Changes a person's role or state. Shown immediately and reverted if the server refuses. */
export function useUpdatePerson() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ userId, ...body }: PersonChange) =>
      call("updatePerson", { params: { userId }, body }),
    onMutate: async ({ userId, ...change }) => {
      const of = { queryKey: keys.people() };
      await queryClient.cancelQueries(of);
      const before = queryClient.getQueriesData<Pages>(of);
      queryClient.setQueriesData<Pages>(
        of,
        (answer) =>
          answer && {
            ...answer,
            pages: answer.pages.map((page) => ({
              ...page,
              people: page.people.map((person) =>
                person.id === userId ? { ...person, ...change } : person,
              ),
            })),
          },
      );
      return { before };
    },
    onError: (_error, _change, context) => {
      for (const [key, pages] of context?.before ?? []) queryClient.setQueryData(key, pages);
    },
    onSettled: () => refreshAfter(queryClient, "person"),
  });
}
