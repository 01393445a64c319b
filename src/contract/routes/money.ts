import type { RouteTable } from "../route.ts";

const project = { kind: "project", from: "param", name: "projectId" } as const;
const connection = { kind: "connection", from: "param", name: "connectionId" } as const;
/**
 * Budgets, prices set by people, and spending. People see the costs of their projects; admins see
 * all costs, but not the content.
 */
export const moneyRoutes = {
  listBudgets: {
    method: "GET",
    path: "/api/v1/budgets",
    permission: "self",
    summary:
      "List the budgets of your runs and the money spent. Admins also see the instance's budget.",
  },
  listInstanceBudgets: {
    method: "GET",
    path: "/api/v1/admin/budgets",
    permission: "instance",
    summary: "List the budgets of the instance and the defaults for new people and projects.",
  },
  listPayers: {
    method: "GET",
    path: "/api/v1/admin/budgets/payers",
    permission: "instance",
    summary: "List or search all people, or all projects, by name with their budgets.",
  },
  setBudgets: {
    method: "PUT",
    path: "/api/v1/admin/budgets",
    permission: "instance",
    summary:
      "Set or remove budgets of the instance, of people or of projects, or the default for new ones.",
  },
  setProjectBudget: {
    method: "PUT",
    path: "/api/v1/projects/:projectId/budget",
    permission: "manage",
    target: project,
    summary: "Set or remove the managers' budget of a project, in addition to an admin's.",
  },
  setModelPrice: {
    method: "PUT",
    path: "/api/v1/connections/:connectionId/model-price",
    permission: "connection:manage",
    target: connection,
    summary: "Set a price for a model without one, or a ceiling per run.",
  },
  listWaiting: {
    method: "GET",
    path: "/api/v1/waiting",
    permission: "self",
    summary:
      "List the runs that need your budget approval: their owner, model and cost, but not their content.",
  },
  decideWaiting: {
    method: "POST",
    path: "/api/v1/waiting/:runId",
    permission: "self",
    summary: "Approve or refuse a run over a budget.",
  },
  getUsage: {
    method: "GET",
    path: "/api/v1/usage",
    permission: "self",
    summary:
      "Get your projects' spending by day, model, project, person and connection, with reserved and unconfirmed costs.",
  },
  getKeepers: {
    method: "GET",
    path: "/api/v1/usage/keepers",
    permission: "self",
    summary:
      "Get the cost of runs that make files, and the number of kept files, by model and prompt.",
  },
  getInstanceUsage: {
    method: "GET",
    path: "/api/v1/admin/usage",
    permission: "instance",
    summary: "Get the spending of the whole instance, by the same dimensions.",
  },
  downloadUsage: {
    method: "GET",
    path: "/api/v1/usage.csv",
    permission: "self",
    summary: "Download the ledger of your projects in a range, as CSV.",
    answer: "bytes",
  },
  downloadInstanceUsage: {
    method: "GET",
    path: "/api/v1/admin/usage.csv",
    permission: "instance",
    summary: "Download the ledger of the whole instance in a range, as CSV.",
    answer: "bytes",
  },
} as const satisfies RouteTable;
