import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { BudgetStanding } from "#contract/entities.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";

/** The budgets that a person's own runs count in; the instance's for admins alone. */
export const budgetsQuery = queryOptions({
  queryKey: ["budgets", "mine"],
  queryFn: async ({ signal }) => (await call("listBudgets", { signal })).budgets,
});

/** Every budget there is, with the people and projects that may have one; for admins. */
export const allBudgetsQuery = queryOptions({
  queryKey: ["budgets", "all"],
  queryFn: ({ signal }) => call("listAllBudgets", { signal }),
});

/** As many as one call takes. */
const idsAtOnce = 1_000;

/** Sets or removes the budget of a period for many at once; what is shown then is what the server answered. */
export function useSetBudgets() {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({
      scopeIds,
      ...setting
    }: RouteInput<"setBudgets", "body">): Promise<BudgetStanding[]> {
      let budgets: BudgetStanding[] = [];
      for (let from = 0; from < scopeIds.length; from += idsAtOnce)
        ({ budgets } = await call("setBudgets", {
          body: { ...setting, scopeIds: scopeIds.slice(from, from + idsAtOnce) },
        }));
      return budgets;
    },
    onSuccess: (budgets) =>
      queryClient.setQueryData(
        allBudgetsQuery.queryKey,
        (answer) => answer && { ...answer, budgets },
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["budgets"] }),
  });
}

/** Sets or removes the managers' own budget of a project. */
export function useSetProjectBudget(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"setProjectBudget", "body">) =>
      call("setProjectBudget", { params: { projectId }, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["budgets"] }),
  });
}

/** Runs over a budget that wait for this person's word, in whichever project: whose and how dear they are, not what. */
export const waitingQuery = queryOptions({
  queryKey: ["waiting"],
  queryFn: async ({ signal }) => (await call("listWaiting", { signal })).waiting,
  // Those of projects that one is not in are in no feed.
  refetchInterval: 30_000,
});
export type WaitingForMe = RouteOutput<"listWaiting">["waiting"][number];

/** Lets a waiting run go on, or refuses it. */
export function useDecideWaiting() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ runId, allow }: { runId: string; allow: boolean }) =>
      call("decideWaiting", { params: { runId }, body: { allow } }),
    onSettled: () =>
      Promise.all(
        [["waiting"], ["runs"], ["run"], ["batches"]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
