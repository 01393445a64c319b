import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { BudgetAuthority } from "#contract/budgets.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

/** The budgets that a person's own runs count in; the instance's for admins alone. */
export const budgetsQuery = queryOptions({
  queryKey: keys.budgets("mine"),
  queryFn: async ({ signal }) => (await call("listBudgets", { signal })).budgets,
});

/** Every budget there is, with the people and projects that may have one; for admins. */
export const allBudgetsQuery = queryOptions({
  queryKey: keys.budgets("all"),
  queryFn: ({ signal }) => call("listAllBudgets", { signal }),
});

/** As many as one call takes. */
const idsAtOnce = 1_000;

type Setting = Omit<RouteInput<"setBudgets", "body">, "scope" | "scopeIds"> & {
  scopeIds: readonly (string | null)[];
};

/** Sets or removes the budget of a period for many at once; a manager's is that of one project. */
export function useSetBudgets({
  authority,
  scope,
}: {
  authority: BudgetAuthority;
  scope: RouteInput<"setBudgets", "body">["scope"];
}) {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ scopeIds, ...setting }: Setting): Promise<void> {
      if (authority === "manager") {
        for (const projectId of scopeIds)
          if (projectId !== null)
            await call("setProjectBudget", { params: { projectId }, body: setting });
        return;
      }
      for (let from = 0; from < scopeIds.length; from += idsAtOnce) {
        const ids = scopeIds.slice(from, from + idsAtOnce);
        const { budgets } = await call("setBudgets", {
          body: { scope, scopeIds: ids, ...setting },
        });
        queryClient.setQueryData(
          allBudgetsQuery.queryKey,
          (answer) => answer && { ...answer, budgets },
        );
      }
    },
    onSettled: () => refreshAfter(queryClient, "budget"),
  });
}

/** Runs over a budget that wait for this person's word, in whichever project: whose and how dear they are, not what. */
export const waitingQuery = queryOptions({
  queryKey: keys.waiting(),
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
    onSettled: () => refreshAfter(queryClient, "decision"),
  });
}
