import type { RouteTable } from "../route.ts";

/**
 * Access to models of the shared connections, and whether members may add connections of their own.
 */
export const accessRoutes = {
  getAccess: {
    method: "GET",
    path: "/api/v1/admin/model-access",
    permission: "instance",
    summary: "Get the default access and the access rule of every shared connection.",
  },
  getModelUsers: {
    method: "GET",
    path: "/api/v1/admin/model-access/users",
    permission: "instance",
    summary: "List the people and projects that the rule of a model or connection names.",
  },
  updateAccess: {
    method: "PATCH",
    path: "/api/v1/admin/model-access",
    permission: "instance",
    summary: "Set the default access to models, and whether members can add personal connections.",
  },
  listModelAccess: {
    method: "GET",
    path: "/api/v1/admin/model-access/models",
    permission: "instance",
    summary: "List the models of shared connections with their access rules.",
  },
  setModelAccess: {
    method: "PUT",
    path: "/api/v1/admin/model-access/models",
    permission: "instance",
    summary: "Set who can use these models, all models of a search, or all models of a connection.",
  },
  getStorage: {
    method: "GET",
    path: "/api/v1/admin/storage",
    permission: "instance",
    summary: "Get the state, owner and limits of the file storage.",
  },
  updateStorageLimits: {
    method: "PATCH",
    path: "/api/v1/admin/storage",
    permission: "instance",
    summary: "Set the storage limits of each person and each project. Null means no limit.",
  },
} as const satisfies RouteTable;
