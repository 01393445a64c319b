import type { RouteTable } from "../../route.ts";

/** Scheduled backups. */
export const backupRoutes = {
  getBackups: {
    method: "GET",
    path: "/api/v1/admin/backups",
    permission: "instance",
    summary: "Get the schedule, folder and state of backups, and the backups in the folder.",
  },
  setBackups: {
    method: "PUT",
    path: "/api/v1/admin/backups",
    permission: "instance",
    summary: "Set the schedule, folder and number of backups. Only owners can set the folder.",
  },
  makeBackup: {
    method: "POST",
    path: "/api/v1/admin/backups",
    permission: "instance",
    summary: "Make a backup now.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
