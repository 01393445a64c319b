import type { RouteTable } from "../route.ts";

const target = { kind: "project", from: "param", name: "projectId" } as const;
/**
 * A project is the unit of visibility: its members see everything in it, except conversations that
 * aren't shared.
 */
export const projectRoutes = {
  listProjects: {
    method: "GET",
    path: "/api/v1/projects",
    permission: "self",
    summary: "List your projects.",
  },
  createProject: {
    method: "POST",
    path: "/api/v1/projects",
    permission: "self",
    summary: "Create a project.",
    errors: ["conflict"],
  },
  getProject: {
    method: "GET",
    path: "/api/v1/projects/:projectId",
    permission: "view",
    target,
    summary: "Get a project.",
  },
  listMembers: {
    method: "GET",
    path: "/api/v1/projects/:projectId/members",
    permission: "view",
    target,
    summary: "List or search the members of a project by name, and its open invitations.",
  },
  updateProject: {
    method: "PATCH",
    path: "/api/v1/projects/:projectId",
    permission: "manage",
    target,
    summary: "Rename, describe or archive a project.",
  },
  exportProject: {
    method: "GET",
    path: "/api/v1/projects/:projectId/export",
    permission: "manage",
    target,
    summary: "Export everything you can see in a project as a ZIP: files, recipes, conversations.",
    answer: "bytes",
  },
  importProject: {
    method: "POST",
    path: "/api/v1/imports",
    permission: "self",
    summary: "Import an exported project from its ZIP as a new personal project.",
    body: "bytes",
    errors: ["too_large", "unsupported_media", "storage_full", "conflict"],
  },
  listImports: {
    method: "GET",
    path: "/api/v1/imports",
    permission: "self",
    summary: "List your imports and their progress.",
  },
  removeImport: {
    method: "DELETE",
    path: "/api/v1/imports/:importId",
    permission: "self",
    summary: "Stop and discard an import, or dismiss the notice of a finished one.",
  },
  addMember: {
    method: "POST",
    path: "/api/v1/projects/:projectId/members",
    permission: "manage",
    target,
    summary: "Invite a person by email. The response does not reveal whether an account exists.",
    errors: ["conflict"],
  },
  removeMemberInvite: {
    method: "DELETE",
    path: "/api/v1/projects/:projectId/invites/:inviteId",
    permission: "manage",
    target,
    summary: "Revoke an invitation.",
  },
  updateMember: {
    method: "PATCH",
    path: "/api/v1/projects/:projectId/members/:userId",
    permission: "manage",
    target,
    summary: "Set a member's role.",
    errors: ["conflict"],
  },
  removeMember: {
    method: "DELETE",
    path: "/api/v1/projects/:projectId/members/:userId",
    permission: "manage",
    target,
    summary: "Remove a member.",
    errors: ["conflict"],
  },
  leaveProject: {
    method: "POST",
    path: "/api/v1/projects/:projectId/leave",
    permission: "view",
    target,
    summary: "Leave a project that you don't own.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
