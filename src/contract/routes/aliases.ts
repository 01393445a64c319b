import type { RouteTable } from "../route.ts";

/**
 * Names for models, each with an ordered list. The next model is tried if the previous ones
 * definitely did not accept.
 */
export const aliasRoutes = {
  listAliases: {
    method: "GET",
    path: "/api/v1/admin/aliases",
    permission: "instance",
    summary: "List the aliases with their models in order, and why a model is unavailable now.",
  },
  createAlias: {
    method: "POST",
    path: "/api/v1/admin/aliases",
    permission: "instance",
    summary: "Create an alias for models of shared connections. Access is set on the alias.",
    errors: ["conflict"],
  },
  updateAlias: {
    method: "PUT",
    path: "/api/v1/admin/aliases/:alias",
    permission: "instance",
    summary: "Change the models of an alias or their order.",
  },
  removeAlias: {
    method: "DELETE",
    path: "/api/v1/admin/aliases/:alias",
    permission: "instance",
    summary: "Delete an alias. Its results remain, and its active runs continue.",
  },
} as const satisfies RouteTable;
