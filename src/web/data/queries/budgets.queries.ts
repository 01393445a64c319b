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

/** The budgets that this person's own runs count in; admins also get the instance's. */
export const budgetsQuery = queryOptions({
  queryKey: keys.budgets("mine"),
  queryFn: async ({ signal }) => (await call("listBudgets", { signal })).budgets,
});

/** The instance's budgets and the defaults, for admins. */
export const instanceBudgetsQuery = queryOptions({
  queryKey: keys.budgets("instance"),
  queryFn: async ({ signal }) => (await call("listInstanceBudgets", { signal })).budgets,
});

export type Payer = RouteOutput<"listPayers">["payers"][number];
export type PayerFilter = Pick<RouteInput<"listPayers", "query">, "scope" | "q">;

/** All people or all projects by name with their budgets, in pages, for admins. */
export const payersQuery = (filter: PayerFilter) =>
  infiniteQueryOptions({
    queryKey: keys.budgets("payers", filter),
    queryFn: ({ pageParam, signal }) =>
      call("listPayers", { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    // A search keeps its rows until the new ones load. Rows of the other scope are never shown.
    placeholderData: (before, query) =>
      (query?.queryKey[2] as PayerFilter | undefined)?.scope === filter.scope ? before : undefined,
  });

/** The most ids that one call takes. */
const idsAtOnce = 1_000;

type Body = RouteInput<"setBudgets", "body">;
type Setting = Omit<Body, "scope" | "scopeIds"> & { scopeIds: readonly (string | null)[] };

/**
 * Sets or removes a period's budget for many people or projects, or for everything a search finds.
 * A manager may set only their own project's.
 */
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

/**
 * Runs over a budget that wait for this person's approval, in any project. Rows name the owner and
 * the price, not the content.
 */
export const pendingApprovalsQuery = infiniteQueryOptions({
  queryKey: keys.waiting(),
  queryFn: ({ pageParam, signal }) => call("listWaiting", { query: { cursor: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.next ?? undefined,
  // Runs in projects that this person isn't a member of appear in no feed.
  refetchInterval: 30_000,
});
export type PendingApproval = RouteOutput<"listWaiting">["waiting"][number];

/** Approves a waiting run or refuses it. */
export function useDecideApproval() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ runId, allow }: { runId: string; allow: boolean }) =>
      call("decideWaiting", { params: { runId }, body: { allow } }),
    onSettled: () => refreshAfter(queryClient, "decision"),
  });
}
