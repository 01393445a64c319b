import type { RouteTable } from "../route.ts";

/** Setting up, signing in and out, and a person's own account. */
export const sessionRoutes = {
  getInstance: {
    method: "GET",
    path: "/api/v1/instance",
    permission: "public",
    summary: "Get whether the instance is set up and the connection is encrypted.",
    rate: "open",
  },
  lookAround: {
    method: "POST",
    path: "/api/v1/setup/look-around",
    permission: "public",
    summary: "List the local servers and environment keys that were found.",
    errors: ["conflict"],
    rate: "sign-in",
  },
  setUp: {
    method: "POST",
    path: "/api/v1/setup",
    permission: "public",
    summary: "Create the owner and the first project.",
    errors: ["conflict"],
    rate: "sign-in",
  },
  signIn: {
    method: "POST",
    path: "/api/v1/session",
    permission: "public",
    summary: "Sign in with email and password.",
    errors: ["rate_limited"],
    rate: "sign-in",
  },
  signOut: {
    method: "DELETE",
    path: "/api/v1/session",
    permission: "self",
    summary: "Sign out of this session.",
  },
  getMe: {
    method: "GET",
    path: "/api/v1/me",
    permission: "self",
    summary: "Get the signed-in person with their projects.",
  },
  updateMe: {
    method: "PATCH",
    path: "/api/v1/me",
    permission: "self",
    summary: "Change your name and appearance.",
  },
  changePassword: {
    method: "POST",
    path: "/api/v1/me/password",
    permission: "self",
    summary: "Change your password and sign out of all other sessions.",
    rate: "sign-in",
  },
  listSessions: {
    method: "GET",
    path: "/api/v1/me/sessions",
    permission: "self",
    summary: "List your sessions.",
  },
  revokeSession: {
    method: "DELETE",
    path: "/api/v1/me/sessions/:sessionId",
    permission: "self",
    summary: "Sign out of one of your sessions.",
  },
  answerInvite: {
    method: "POST",
    path: "/api/v1/me/invites/:inviteId",
    permission: "self",
    summary: "Accept or decline an invitation into a project.",
  },
  getInvite: {
    method: "GET",
    path: "/api/v1/invites/:token",
    permission: "public",
    summary: "Get the purpose of a one-time link.",
    rate: "sign-in",
  },
  acceptInvite: {
    method: "POST",
    path: "/api/v1/invites/:token",
    permission: "public",
    summary: "Use a one-time link to create an account or set a new password.",
    errors: ["conflict"],
    rate: "sign-in",
  },
} as const satisfies RouteTable;
