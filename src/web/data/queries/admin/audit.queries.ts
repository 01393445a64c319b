import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call, routePath } from "../../client.ts";
import { keys } from "../../keys.ts";

export type AuditEvent = RouteOutput<"listAudit">["events"][number];
export type AuditFilter = Pick<RouteInput<"listAudit", "query">, "q" | "action" | "from" | "to">;

/** The audit log, newest first, in pages. */
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: keys.audit(filter),
    queryFn: ({ pageParam, signal }) =>
      call("listAudit", { query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The complete filtered log as CSV. */
export const auditCsvPath = (filter: AuditFilter): string =>
  routePath("downloadAudit", { query: filter });
