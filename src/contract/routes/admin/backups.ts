import type { RouteTable } from "../../route.ts";

/** Scheduled backups. */
export const backupRoutes = {
  getBackups: {
    method: "GET",
    path: "/api/v1/admin/backups",
    permission: "instance",
    summary: "Get when and where backups are made, their state, and those in the folder.",
  },
  setBackups: {
    method: "PUT",
    path: "/api/v1/admin/backups",
    permission: "instance",
    summary:
      "Set when and where backups are made, and how many are kept. Only owners set the folder.",
  },
  makeBackup: {
    method: "POST",
    path: "/api/v1/admin/backups",
    permission: "instance",
    summary: "Make a backup now.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
