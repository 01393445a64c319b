import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { BudgetStanding, Run } from "#contract/entities.ts";
import { isEpochReason } from "#contract/waiting-reasons.ts";
import { useReachableConnections } from "../../components/connections/use-reachable-connections.ts";
import { isWaiting, mayApprove } from "../../components/run/waiting.ts";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { budgetsQuery, pendingApprovalsQuery } from "../../data/queries/budgets.queries.ts";
import { connectionsQuery, projectConnectionsQuery } from "../../data/queries/shared.queries.ts";
import { needsAdmin, storageQuery } from "../../data/queries/storage.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";

/** A run with a paid result that is not saved yet and that the provider deletes soon. */
const isExpiring = (run: Pick<Run, "state" | "warnings">): boolean =>
  run.state === "storing" && run.warnings.some(({ type }) => type === "expiring");

const nearShare = 0.8;

/** The person's webhooks that send nothing until someone resumes them. */
const pausedWebhooksQuery = queryOptions({
  queryKey: keys.webhooks("paused"),
  queryFn: ({ signal }) => call("listPausedWebhooks", { signal }),
});

/** The person's and the project's budgets that are over 80%. */
function useNearBudgets(budgets: readonly BudgetStanding[]): BudgetStanding[] {
  const { user, project } = useSession();
  const isMine = ({ scope, scopeId }: BudgetStanding) =>
    (scope === "user" && scopeId === user.id) || (scope === "project" && scopeId === project.id);
  return budgets.filter(
    (budget) =>
      isMine(budget) &&
      budget.limitMicros > 0 &&
      budget.spentMicros >= budget.limitMicros * nearShare,
  );
}

/**
 * The items that need this person, without the components, which are rarely needed and load
 * separately.
 */
export function useNeeds(runs: readonly Run[]) {
  const { project, user } = useSession();
  const connections = useReachableConnections();
  const [listed, ofProject] = [
    useQuery(connectionsQuery),
    useQuery(projectConnectionsQuery(project.id)),
  ];
  const waiting = useInfiniteQuery(pendingApprovalsQuery);
  const budgets = useQuery(budgetsQuery);
  const webhooks = useQuery(pausedWebhooksQuery);
  const storage = useQuery({ ...storageQuery, enabled: isAdmin(user) }).data;
  const needs = {
    storage: storage && needsAdmin(storage) ? [storage] : [],
    expiring: runs.filter(isExpiring),
    held: runs.flatMap((run) =>
      isEpochReason(run.waitingFor) && isWaiting(run) && mayApprove(run, project, user)
        ? [{ run, reason: run.waitingFor }]
        : [],
    ),
    failing: connections.filter(({ status, mayManage }) => status === "failing" && mayManage),
    webhooks: webhooks.data?.webhooks ?? [],
    budgets: useNearBudgets(budgets.data ?? []),
  };
  /**
   * Runs over a budget in any project that this person can approve, including the number on pages
   * that aren't loaded.
   */
  const approvals = {
    rows: waiting.data?.pages.flatMap((page) => page.waiting) ?? [],
    count: waiting.data?.pages[0]?.count ?? 0,
    query: waiting,
  };
  return {
    ...needs,
    approvals,
    isLoading: [waiting, budgets, webhooks, listed, ofProject].some(({ isPending }) => isPending),
    count: Object.values(needs).reduce((sum, { length }) => sum + length, approvals.count),
  };
}
export type Needs = ReturnType<typeof useNeeds>;
