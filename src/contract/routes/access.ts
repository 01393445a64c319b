import type { RouteTable } from "../route.ts";

/** Who may use which models of the shared connections, and whether members may add connections of their own. */
export const accessRoutes = {
  getAccess: {
    method: "GET",
    path: "/api/v1/admin/model-access",
    permission: "instance",
    summary:
      "Who may use the models of each shared connection, with the people and projects that there are.",
  },
  updateAccess: {
    method: "PATCH",
    path: "/api/v1/admin/model-access",
    permission: "instance",
    summary:
      "Set for whom models are of which nothing else is said, and whether members may add connections of their own.",
  },
  listModelAccess: {
    method: "GET",
    path: "/api/v1/admin/model-access/models",
    permission: "instance",
    summary: "The models of the shared connections, with what is said of each.",
  },
  setModelAccess: {
    method: "PUT",
    path: "/api/v1/admin/model-access/models",
    permission: "instance",
    summary:
      "Say who may use these models, all that a search finds, or every model of a connection.",
  },
  getStorage: {
    method: "GET",
    path: "/api/v1/admin/storage",
    permission: "instance",
    summary:
      "Whether the file storage works, whether its files belong to this database, and its limits.",
  },
  updateStorageLimits: {
    method: "PATCH",
    path: "/api/v1/admin/storage",
    permission: "instance",
    summary: "Set how many bytes each person and each project may store; null is no limit.",
  },
} as const satisfies RouteTable;
