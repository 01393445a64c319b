import type { RouteTable } from "../route.ts";

const target = { kind: "collection", from: "param", name: "collectionId" } as const;
/** Chosen assets in a custom order, and saved filters. `updateAssets` adds and removes assets. */
export const collectionRoutes = {
  listCollections: {
    method: "GET",
    path: "/api/v1/collections",
    permission: "view",
    target: { kind: "project", from: "query", name: "projectId" },
    summary: "List a project's collections and saved filters by name.",
  },
  getCollection: {
    method: "GET",
    path: "/api/v1/collections/:collectionId",
    permission: "view",
    target,
    summary: "Get a collection. `listAssets` lists its assets.",
  },
  createCollection: {
    method: "POST",
    path: "/api/v1/collections",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Create a collection, or save a filter of the library.",
  },
  updateCollection: {
    method: "PATCH",
    path: "/api/v1/collections/:collectionId",
    permission: "edit",
    target,
    summary: "Rename a collection, choose its cover, change its filter, trash or restore it.",
  },
  orderCollection: {
    method: "POST",
    path: "/api/v1/collections/:collectionId/order",
    permission: "edit",
    target,
    summary: "Move assets to another place in a collection.",
  },
  removeCollection: {
    method: "DELETE",
    path: "/api/v1/collections/:collectionId",
    permission: "edit",
    target,
    summary: "Delete a collection that is in the trash. Its assets remain.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
