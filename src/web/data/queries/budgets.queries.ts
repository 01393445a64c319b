import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { BudgetAuthority } from "#contract/budgets.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

/** The budgets that a person's own runs count in; the instance's for admins alone. */
export const budgetsQuery = queryOptions({
  queryKey: keys.budgets("mine"),
  queryFn: async ({ signal }) => (await call("listBudgets", { signal })).budgets,
});

/** Those of the instance, and the defaults; for admins. */
export const instanceBudgetsQuery = queryOptions({
  queryKey: keys.budgets("instance"),
  queryFn: async ({ signal }) => (await call("listInstanceBudgets", { signal })).budgets,
});

export type Payer = RouteOutput<"listPayers">["payers"][number];
export type PayerFilter = Pick<RouteInput<"listPayers", "query">, "scope" | "q">;

/** All people or all projects by name with their budgets, a page at a time; for admins. */
export const payersQuery = (filter: PayerFilter) =>
  infiniteQueryOptions({
    queryKey: keys.budgets("payers", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listPayers", { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    // A search keeps its rows until others are there. People are never shown as projects.
    placeholderData: (before, query) =>
      (query?.queryKey[2] as PayerFilter | undefined)?.scope === filter.scope ? before : undefined,
  });

/** As many as one call takes. */
const idsAtOnce = 1_000;

type Body = RouteInput<"setBudgets", "body">;
type Setting = Omit<Body, "scope" | "scopeIds"> & { scopeIds: readonly (string | null)[] };

/** Sets or removes the budget of a period for many at once, or for all of a search; a manager's is that of one project. */
export function useSetBudgets({
  authority,
  scope,
}: {
  authority: BudgetAuthority;
  scope: Body["scope"];
}) {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ scopeIds, found, ...setting }: Setting): Promise<void> {
      if (authority === "manager") {
        for (const projectId of scopeIds)
          if (projectId !== null)
            await call("setProjectBudget", { params: { projectId }, body: setting });
        return;
      }
      if (found) await call("setBudgets", { body: { scope, found, ...setting } });
      for (let from = 0; from < scopeIds.length; from += idsAtOnce) {
        const ids = scopeIds.slice(from, from + idsAtOnce);
        await call("setBudgets", { body: { scope, scopeIds: ids, ...setting } });
      }
    },
    onSettled: () => refreshAfter(queryClient, "budget"),
  });
}

/** Runs over a budget that wait for this person's word, in whichever project: whose and how dear they are, not what. */
export const waitingQuery = infiniteQueryOptions({
  queryKey: keys.waiting(),
  queryFn: ({ pageParam, signal }) => call("listWaiting", { query: { cursor: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.next ?? undefined,
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
