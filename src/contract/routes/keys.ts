import type { RouteTable } from "../route.ts";

/**
 * API keys: each has a part of its person's rights, in one project. Keys can't read or create their
 * own person's keys.
 */
export const keyRoutes = {
  listKeys: {
    method: "GET",
    path: "/api/v1/me/keys",
    permission: "self",
    summary: "List your API keys, without their secrets.",
  },
  createKey: {
    method: "POST",
    path: "/api/v1/me/keys",
    permission: "view",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Create an API key for a project. The key is shown once.",
    errors: ["conflict"],
  },
  updateKey: {
    method: "PATCH",
    path: "/api/v1/me/keys/:keyId",
    permission: "self",
    summary: "Change the name, scopes or expiry of a personal key.",
  },
  rotateKey: {
    method: "POST",
    path: "/api/v1/me/keys/:keyId/rotate",
    permission: "self",
    summary:
      "Rotate the secret of a personal key. The new one is shown once, the old one stops working.",
  },
  revokeKey: {
    method: "DELETE",
    path: "/api/v1/me/keys/:keyId",
    permission: "self",
    summary: "Revoke a personal key. Its open requests end immediately.",
  },
  setKeyBudget: {
    method: "PUT",
    path: "/api/v1/me/keys/:keyId/budget",
    permission: "self",
    summary: "Set or remove the budget of a personal key.",
  },
  listAllKeys: {
    method: "GET",
    path: "/api/v1/admin/keys",
    permission: "people",
    summary: "List or search the API keys of the instance by name and owner, the newest first.",
  },
  revokeAnyKey: {
    method: "DELETE",
    path: "/api/v1/admin/keys/:keyId",
    permission: "people",
    summary: "Revoke any API key of the instance.",
  },
} as const satisfies RouteTable;
