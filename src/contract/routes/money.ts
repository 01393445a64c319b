import type { RouteTable } from "../route.ts";

const project = { kind: "project", from: "param", name: "projectId" } as const;
const connection = { kind: "connection", from: "param", name: "connectionId" } as const;
/** Budgets, prices that people set, and what was spent. People see what their projects cost; admins what everything costs, never what it was. */
export const moneyRoutes = {
  listBudgets: {
    method: "GET",
    path: "/api/v1/budgets",
    permission: "self",
    summary:
      "The budgets that one's own runs count in, and where they stand; the instance's for admins alone.",
  },
  listAllBudgets: {
    method: "GET",
    path: "/api/v1/admin/budgets",
    permission: "instance",
    summary: "Every budget of the instance, with the people and projects that may have one.",
  },
  setBudgets: {
    method: "PUT",
    path: "/api/v1/admin/budgets",
    permission: "instance",
    summary:
      "Set or remove the budget of a period for the instance, for many people or projects at once, or for each new one.",
  },
  setProjectBudget: {
    method: "PUT",
    path: "/api/v1/projects/:projectId/budget",
    permission: "manage",
    target: project,
    summary: "Set or remove the managers' own budget of a project, beside what an admin set.",
  },
  setModelPrice: {
    method: "PUT",
    path: "/api/v1/connections/:connectionId/model-price",
    permission: "connection:manage",
    target: connection,
    summary: "Set a price for a model that has none, or a ceiling for one run of it.",
  },
  listWaiting: {
    method: "GET",
    path: "/api/v1/waiting",
    permission: "self",
    summary:
      "Runs over a budget that wait for one's own word: whose, of which model and how dear, and nothing of what they are.",
  },
  decideWaiting: {
    method: "POST",
    path: "/api/v1/waiting/:runId",
    permission: "self",
    summary: "Let such a run go on, or refuse it.",
  },
  getUsage: {
    method: "GET",
    path: "/api/v1/usage",
    permission: "self",
    summary:
      "What one's projects spent: by day, model, project, person and connection; what is held and what is unconfirmed.",
  },
  getInstanceUsage: {
    method: "GET",
    path: "/api/v1/admin/usage",
    permission: "instance",
    summary: "The same for the whole instance.",
  },
  downloadUsage: {
    method: "GET",
    path: "/api/v1/usage.csv",
    permission: "self",
    summary: "Every entry of the books of one's projects in a range, as CSV.",
    answer: "bytes",
  },
  downloadInstanceUsage: {
    method: "GET",
    path: "/api/v1/admin/usage.csv",
    permission: "instance",
    summary: "The same for the whole instance.",
    answer: "bytes",
  },
} as const satisfies RouteTable;
