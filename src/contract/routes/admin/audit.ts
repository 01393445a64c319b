import type { RouteTable } from "../../route.ts";

/** The log of changes to accounts, rights, connections and money. */
export const auditRoutes = {
  listAudit: {
    method: "GET",
    path: "/api/v1/admin/audit",
    permission: "instance",
    summary: "List the audit log, newest first, filtered by person, action and time.",
  },
  downloadAudit: {
    method: "GET",
    path: "/api/v1/admin/audit.csv",
    permission: "instance",
    summary: "Download the same entries as CSV.",
    answer: "bytes",
  },
} as const satisfies RouteTable;
