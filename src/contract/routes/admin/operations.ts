import type { RouteTable } from "../../route.ts";

/** The pages for operators of an instance. */
export const operationRoutes = {
  getStorageUse: {
    method: "GET",
    path: "/api/v1/admin/storage/use",
    permission: "instance",
    summary:
      "Get the storage in use by project, person, kind and age, the space that cleanup would free, and the disk.",
  },
  getHealth: {
    method: "GET",
    path: "/api/v1/admin/health",
    permission: "instance",
    summary:
      "Get the state of the database, storage, servers, queue, background work, connections and webhooks.",
  },
} as const satisfies RouteTable;
