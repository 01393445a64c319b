import type { auditRoutes } from "#contract/routes/admin/audit.ts";
import type { RouteParsed } from "#contract/schemas/index.ts";
import { dayMs } from "#domain/money/usage-range.ts";
import type { AuditFilter } from "#store/people/audit.ts";
import type { ServerDeps } from "../../deps.ts";
import { answerAuditCsv } from "../../files/audit-csv.ts";
import type { Handlers } from "../../gate.ts";

export function auditHandlers({
  lists,
}: Pick<ServerDeps, "lists">): Handlers<keyof typeof auditRoutes> {
  return {
    listAudit: ({ query: { cursor, limit, ...filter } }) =>
      lists.listAuditEvents({
        ...toFilter(filter),
        ...(cursor !== undefined && { cursor }),
        limit,
      }),
    downloadAudit: async ({ query, c }) => answerAuditCsv(c, lists, toFilter(query)),
  };
}

const toFilter = ({ q, action, from, to }: RouteParsed<"downloadAudit", "query">): AuditFilter => ({
  ...(q !== undefined && { q }),
  ...(action !== undefined && { action }),
  ...(from !== undefined && { fromMs: Date.parse(from) }),
  ...(to !== undefined && { toMs: Date.parse(to) + dayMs }),
});
