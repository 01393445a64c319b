import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/schemas/index.ts";
import type { DayRange } from "#domain/money/usage-range.ts";
import { call, routePath } from "../client.ts";
import { keys } from "../keys.ts";

export type Usage = RouteOutput<"getUsage">;
/**
 * The scope of the usage: the person's own projects, the whole instance, or one project. `asAdmin`
 * is set if the project isn't the person's own.
 */
export type UsageScope = { asAdmin: boolean; projectId?: string };
export type UsageRequest = DayRange & UsageScope;

const queryOf = ({ from, to, projectId }: UsageRequest) => ({
  from,
  to,
  ...(projectId && { projectId }),
});

export const usageQuery = (asked: UsageRequest, enabled: boolean) =>
  queryOptions({
    queryKey: keys.usage(asked.asAdmin, asked.projectId ?? "all", asked.from, asked.to),
    queryFn: ({ signal }): Promise<Usage> => {
      const given = { query: queryOf(asked), signal };
      return asked.asAdmin ? call("getInstanceUsage", given) : call("getUsage", given);
    },
    placeholderData: keepPreviousData,
    enabled,
    retry: 1,
  });

export type Keepers = RouteOutput<"getKeepers">;

/**
 * The costs of kept files. Admins see only those of their own projects, because prompts are
 * private.
 */
export const keepersQuery = ({ projectId, from, to }: UsageRequest) =>
  queryOptions({
    queryKey: keys.usage(false, projectId ?? "all", from, to, "keepers"),
    queryFn: ({ signal }): Promise<Keepers> =>
      call("getKeepers", { query: queryOf({ asAdmin: false, projectId, from, to }), signal }),
    placeholderData: keepPreviousData,
    retry: 1,
  });

/** Every ledger entry behind the shown usage. */
export const csvPath = (asked: UsageRequest): string =>
  routePath(asked.asAdmin ? "downloadInstanceUsage" : "downloadUsage", { query: queryOf(asked) });
