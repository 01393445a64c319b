import type { RouteTable } from "../route.ts";

const target = { kind: "project", from: "param", name: "projectId" } as const;

/**
 * Deletion of projects. Admins can delete other people's projects without seeing their content, and
 * restore deleted ones.
 */
export const deletionRoutes = {
  getProjectDeletion: {
    method: "GET",
    path: "/api/v1/projects/:projectId/deletion",
    permission: "manage",
    target,
    summary:
      "Preview the deletion of a project: deleted data, costs that stay in the ledger, and runs that must end first.",
  },
  deleteProject: {
    method: "POST",
    path: "/api/v1/projects/:projectId/delete",
    permission: "manage",
    target,
    summary:
      "Delete a project that you own. An admin can restore it for 30 days. Then it is erased.",
    errors: ["conflict"],
  },
  listAdminProjects: {
    method: "GET",
    path: "/api/v1/admin/projects",
    permission: "instance",
    summary: "List all projects by name with their owners. Nothing in them is shown.",
  },
  getAdminProjectDeletion: {
    method: "GET",
    path: "/api/v1/admin/projects/:projectId/deletion",
    permission: "instance",
    summary: "The same as getProjectDeletion, for any project.",
  },
  deleteAdminProject: {
    method: "POST",
    path: "/api/v1/admin/projects/:projectId/delete",
    permission: "instance",
    summary: "Delete any project. It can be restored for 30 days. Then it is erased.",
    errors: ["conflict"],
  },
  listDeletedProjects: {
    method: "GET",
    path: "/api/v1/admin/deleted-projects",
    permission: "instance",
    summary: "List deleted projects that can be restored, with the deadline.",
  },
  restoreProject: {
    method: "POST",
    path: "/api/v1/admin/deleted-projects/:projectId/restore",
    permission: "instance",
    summary: "Restore a deleted project with its members.",
  },
} as const satisfies RouteTable;
