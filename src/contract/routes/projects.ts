import type { RouteTable } from "../route.ts";

const target = { kind: "project", from: "param", name: "projectId" } as const;
/** A project is the unit of visibility: who is in it sees all of it, except conversations not shared. */
export const projectRoutes = {
  listProjects: {
    method: "GET",
    path: "/api/v1/projects",
    permission: "self",
    summary: "The projects one is in.",
  },
  createProject: {
    method: "POST",
    path: "/api/v1/projects",
    permission: "self",
    summary: "Make a project.",
  },
  getProject: {
    method: "GET",
    path: "/api/v1/projects/:projectId",
    permission: "view",
    target,
    summary: "A project with its members.",
  },
  updateProject: {
    method: "PATCH",
    path: "/api/v1/projects/:projectId",
    permission: "manage",
    target,
    summary: "Rename, describe, archive.",
  },
  exportProject: {
    method: "GET",
    path: "/api/v1/projects/:projectId/export",
    permission: "manage",
    target,
    summary: "All of a project that one may see, as one zip: files, recipes, conversations.",
    answer: "bytes",
  },
  importProject: {
    method: "POST",
    path: "/api/v1/imports",
    permission: "self",
    summary: "Bring an exported project here: its zip. It becomes a new project of one's own.",
    body: "bytes",
    errors: ["too_large", "unsupported_media", "storage_full", "conflict"],
  },
  listImports: {
    method: "GET",
    path: "/api/v1/imports",
    permission: "self",
    summary: "The imports one has begun, and how far they are.",
  },
  removeImport: {
    method: "DELETE",
    path: "/api/v1/imports/:importId",
    permission: "self",
    summary:
      "Stop an import, so that nothing of it is kept, or put away the notice of one that has ended.",
  },
  addMember: {
    method: "POST",
    path: "/api/v1/projects/:projectId/members",
    permission: "manage",
    target,
    summary:
      "Invite a person by e-mail. Who signs in with the address and accepts is a member; whether anybody does is not told.",
    errors: ["conflict"],
  },
  removeMemberInvite: {
    method: "DELETE",
    path: "/api/v1/projects/:projectId/invites/:inviteId",
    permission: "manage",
    target,
    summary: "Take an invitation back.",
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
    summary: "Take a member out.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
