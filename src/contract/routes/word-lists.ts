import type { RouteTable } from "../route.ts";

const target = { kind: "project", from: "param", name: "projectId" } as const;

/** Word lists, which replace `__name__` in the prompts of a project. */
export const wordListRoutes = {
  listWordLists: {
    method: "GET",
    path: "/api/v1/projects/:projectId/word-lists",
    permission: "view",
    target,
    summary: "List the word lists of a project by name, without their items.",
  },
  getWordList: {
    method: "GET",
    path: "/api/v1/projects/:projectId/word-lists/:list",
    permission: "view",
    target,
    summary: "Get a word list with its items.",
  },
  putWordList: {
    method: "PUT",
    path: "/api/v1/projects/:projectId/word-lists/:list",
    permission: "edit",
    target,
    summary: "Create a word list, or replace its items.",
    errors: ["conflict"],
  },
  removeWordList: {
    method: "DELETE",
    path: "/api/v1/projects/:projectId/word-lists/:list",
    permission: "edit",
    target,
    summary: "Delete a word list. Results made with it remain.",
  },
} as const satisfies RouteTable;
