import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { ProjectRole } from "#contract/entities.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.project(projectId),
    queryFn: ({ signal }) => call("getProject", { params: { projectId }, signal }),
  });

/** A project's members by name, in pages; managers also get the open invitations. */
export const membersQuery = (projectId: string, filter: { q?: string }) =>
  infiniteQueryOptions({
    queryKey: keys.project(projectId, "members", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listMembers", {
        params: { projectId },
        query: { ...filter, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The answer to a change contains the changed project. */
export function useUpdateProject(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"updateProject", "body">) =>
      call("updateProject", { params: { projectId }, body }),
    onSuccess: (answer) => {
      queryClient.setQueryData(projectQuery(projectId).queryKey, answer);
      return refreshAfter(queryClient, "member");
    },
  });
}

function useMemberMutation<Given, Answer>(mutationFn: (given: Given) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => refreshAfter(queryClient, "member") });
}

export const useAddMember = (projectId: string) =>
  useMemberMutation((body: RouteInput<"addMember", "body">) =>
    call("addMember", { params: { projectId }, body }),
  );
export const useRemoveMemberInvite = (projectId: string) =>
  useMemberMutation((inviteId: string) =>
    call("removeMemberInvite", { params: { projectId, inviteId } }),
  );
export const useUpdateMember = (projectId: string) =>
  useMemberMutation(({ userId, role }: { userId: string; role: ProjectRole }) =>
    call("updateMember", { params: { projectId, userId }, body: { role } }),
  );
export const useRemoveMember = (projectId: string) =>
  useMemberMutation((userId: string) => call("removeMember", { params: { projectId, userId } }));
