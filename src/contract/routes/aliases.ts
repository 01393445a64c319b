import type { RouteTable } from "../route.ts";

/** Names for models, with an ordered list behind each: the next is tried when those before it surely did not accept. */
export const aliasRoutes = {
  listAliases: {
    method: "GET",
    path: "/api/v1/admin/aliases",
    permission: "instance",
    summary: "Every alias with the models behind it, in order, and why one would not be asked now.",
  },
  createAlias: {
    method: "POST",
    path: "/api/v1/admin/aliases",
    permission: "instance",
    summary:
      "Give models of shared connections a name. Who may use it is said of the name, as of any model.",
    errors: ["conflict"],
  },
  updateAlias: {
    method: "PUT",
    path: "/api/v1/admin/aliases/:alias",
    permission: "instance",
    summary: "Put other models behind a name, or the same in another order.",
  },
  removeAlias: {
    method: "DELETE",
    path: "/api/v1/admin/aliases/:alias",
    permission: "instance",
    summary: "Take a name away; what was made under it stays, and what is under way goes on.",
  },
} as const satisfies RouteTable;
