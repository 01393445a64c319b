import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ProjectRole } from "#contract/entities.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type ShownProject = RouteOutput<"getProject">;

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.project(projectId),
    queryFn: ({ signal }) => call("getProject", { params: { projectId }, signal }),
  });

/** Every change of a project answers with the whole of it, which then is what is shown. */
function useProjectMutation<Given>(
  projectId: string,
  mutationFn: (given: Given) => Promise<ShownProject>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (answer) => {
      queryClient.setQueryData(projectQuery(projectId).queryKey, answer);
      return refreshAfter(queryClient, "account");
    },
  });
}

export const useUpdateProject = (projectId: string) =>
  useProjectMutation(projectId, (body: RouteInput<"updateProject", "body">) =>
    call("updateProject", { params: { projectId }, body }),
  );
export const useAddMember = (projectId: string) =>
  useProjectMutation(projectId, (body: RouteInput<"addMember", "body">) =>
    call("addMember", { params: { projectId }, body }),
  );
export const useRemoveMemberInvite = (projectId: string) =>
  useProjectMutation(projectId, (inviteId: string) =>
    call("removeMemberInvite", { params: { projectId, inviteId } }),
  );
export const useUpdateMember = (projectId: string) =>
  useProjectMutation(projectId, ({ userId, role }: { userId: string; role: ProjectRole }) =>
    call("updateMember", { params: { projectId, userId }, body: { role } }),
  );
export const useRemoveMember = (projectId: string) =>
  useProjectMutation(projectId, (userId: string) =>
    call("removeMember", { params: { projectId, userId } }),
  );
