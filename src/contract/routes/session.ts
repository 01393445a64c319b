import type { RouteTable } from "../route.ts";

/** Setting up, signing in and out, and a person's own account. */
export const sessionRoutes = {
  getInstance: {
    method: "GET",
    path: "/api/v1/instance",
    permission: "public",
    summary: "Whether the instance is set up, and how the line to it is.",
    rate: "open",
  },
  lookAround: {
    method: "POST",
    path: "/api/v1/setup/look-around",
    permission: "public",
    summary: "What was found by itself: local servers and keys in the environment.",
    errors: ["conflict"],
    rate: "sign-in",
  },
  setUp: {
    method: "POST",
    path: "/api/v1/setup",
    permission: "public",
    summary: "Make the owner and the first project.",
    errors: ["conflict"],
    rate: "sign-in",
  },
  signIn: {
    method: "POST",
    path: "/api/v1/session",
    permission: "public",
    summary: "Sign in with e-mail and password.",
    errors: ["rate_limited"],
    rate: "sign-in",
  },
  signOut: {
    method: "DELETE",
    path: "/api/v1/session",
    permission: "self",
    summary: "Sign out here.",
  },
  getMe: {
    method: "GET",
    path: "/api/v1/me",
    permission: "self",
    summary: "Who is signed in, with their projects.",
  },
  updateMe: {
    method: "PATCH",
    path: "/api/v1/me",
    permission: "self",
    summary: "Change one's name and appearance.",
  },
  changePassword: {
    method: "POST",
    path: "/api/v1/me/password",
    permission: "self",
    summary: "Change one's password; every other session ends.",
    rate: "sign-in",
  },
  listSessions: {
    method: "GET",
    path: "/api/v1/me/sessions",
    permission: "self",
    summary: "One's sessions.",
  },
  revokeSession: {
    method: "DELETE",
    path: "/api/v1/me/sessions/:sessionId",
    permission: "self",
    summary: "End one of one's sessions.",
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
    summary: "What a one-time link is for.",
    rate: "sign-in",
  },
  acceptInvite: {
    method: "POST",
    path: "/api/v1/invites/:token",
    permission: "public",
    summary: "Create the account, or set the new password, that a one-time link is for.",
    errors: ["conflict"],
    rate: "sign-in",
  },
} as const satisfies RouteTable;
