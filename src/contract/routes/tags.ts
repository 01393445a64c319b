import type { RouteTable } from "../route.ts";

const target = { kind: "tag", from: "param", name: "tagId" } as const;
/** A project's tags for its assets. `updateAssets` adds and removes them. */
export const tagRoutes = {
  listTags: {
    method: "GET",
    path: "/api/v1/tags",
    permission: "view",
    target: { kind: "project", from: "query", name: "projectId" },
    summary: "List a project's tags, most used first, or those that start with a text.",
  },
  countTags: {
    method: "POST",
    path: "/api/v1/assets/tags",
    permission: "view",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "List the tags of up to 10,000 assets, with how many of them have each.",
  },
  updateTag: {
    method: "PATCH",
    path: "/api/v1/tags/:tagId",
    permission: "edit",
    target,
    summary: "Rename a tag.",
    errors: ["conflict"],
  },
  mergeTag: {
    method: "POST",
    path: "/api/v1/tags/:tagId/merge",
    permission: "edit",
    target,
    summary: "Give a tag's assets another tag instead, and delete it.",
  },
  removeTag: {
    method: "DELETE",
    path: "/api/v1/tags/:tagId",
    permission: "edit",
    target,
    summary: "Delete a tag. Its assets remain.",
  },
} as const satisfies RouteTable;
