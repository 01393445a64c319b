import type { RouteTable } from "../route.ts";

const target = { kind: "run", from: "param", name: "runId" } as const;
const inProject = { kind: "project", from: "query", name: "projectId" } as const;
/** Runs: everything that any model does. */
export const runRoutes = {
  createRuns: {
    method: "POST",
    path: "/api/v1/runs",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Make something: one or more runs in a batch.",
    errors: ["model_gone", "idempotency_mismatch", "storage_full", "budget_exceeded"],
  },
  listRuns: { method: "GET", path: "/api/v1/runs", permission: "view", target: inProject, summary: "Runs of a project, newest first." },
  listBatches: {
    method: "GET",
    path: "/api/v1/batches",
    permission: "view",
    target: inProject,
    summary: "Create's feed: batches with their runs and what came of them.",
  },
  getRun: {
    method: "GET",
    path: "/api/v1/runs/:runId",
    permission: "view",
    target,
    summary: "A run with its attempts, inputs and outputs.",
  },
  getRunEvents: {
    method: "GET",
    path: "/api/v1/runs/:runId/events",
    permission: "view",
    target,
    summary: "The run's events as a stream; Last-Event-ID resumes.",
    answer: "events",
  },
  listRunEvents: { method: "GET", path: "/api/v1/runs/:runId/log", permission: "view", target, summary: "The run's events so far." },
  cancelRun: {
    method: "POST",
    path: "/api/v1/runs/:runId/cancel",
    permission: "edit",
    target,
    summary: "Ask for a run to stop; what came is kept.",
  },
  approveRun: {
    method: "POST",
    path: "/api/v1/runs/:runId/approve",
    permission: "edit",
    target,
    summary: "Let a run go on that waits for a person's word; the policy says whose.",
    errors: ["conflict"],
  },
  approveRuns: {
    method: "POST",
    path: "/api/v1/runs/approve",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Let everything of a project go on that waits after a restore.",
  },
  tryAgain: {
    method: "POST",
    path: "/api/v1/runs/:runId/try-again",
    permission: "edit",
    target,
    summary: "A new run with the same input, which points at the old.",
    errors: ["model_gone", "conflict"],
  },
  resolveRun: {
    method: "POST",
    path: "/api/v1/runs/:runId/resolve",
    permission: "edit",
    target,
    summary: "A person's word on an unconfirmed run.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
