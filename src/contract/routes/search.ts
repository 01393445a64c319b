import type { RouteTable } from "../route.ts";

/** One search over a whole project, for the command palette. */
export const searchRoutes = {
  search: {
    method: "GET",
    path: "/api/v1/search",
    permission: "view",
    target: { kind: "project", from: "query", name: "projectId" },
    summary:
      "Search a project: a few conversations, messages, assets, collections, comparisons, word lists, models, people and sections of the manual.",
  },
} as const satisfies RouteTable;
