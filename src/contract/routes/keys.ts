import type { RouteTable } from "../route.ts";

/** Keys for programs: each is its person with less, in one project. No key reads or makes keys of its own person. */
export const keyRoutes = {
  listKeys: {
    method: "GET",
    path: "/api/v1/me/keys",
    permission: "self",
    summary: "One's API keys, without the keys themselves.",
  },
  createKey: {
    method: "POST",
    path: "/api/v1/me/keys",
    permission: "view",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Make an API key for one project; it is shown once.",
    errors: ["conflict"],
  },
  updateKey: {
    method: "PATCH",
    path: "/api/v1/me/keys/:keyId",
    permission: "self",
    summary: "Change what a key of one's own is called, may do, and until when.",
  },
  rotateKey: {
    method: "POST",
    path: "/api/v1/me/keys/:keyId/rotate",
    permission: "self",
    summary: "Give a key of one's own a new secret, shown once; the old one ends at once.",
  },
  revokeKey: {
    method: "DELETE",
    path: "/api/v1/me/keys/:keyId",
    permission: "self",
    summary: "Revoke a key of one's own; what it has open ends at once.",
  },
  setKeyBudget: {
    method: "PUT",
    path: "/api/v1/me/keys/:keyId/budget",
    permission: "self",
    summary: "Set or remove the budget of a key of one's own.",
  },
  listAllKeys: {
    method: "GET",
    path: "/api/v1/admin/keys",
    permission: "people",
    summary: "Every API key of the instance, by name and owner.",
  },
  revokeAnyKey: {
    method: "DELETE",
    path: "/api/v1/admin/keys/:keyId",
    permission: "people",
    summary: "Revoke anyone's API key.",
  },
} as const satisfies RouteTable;
