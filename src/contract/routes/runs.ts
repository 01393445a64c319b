import type { RouteTable } from "../route.ts";

const target = { kind: "run", from: "param", name: "runId" } as const;
const inProject = { kind: "project", from: "query", name: "projectId" } as const;
/** Errors of a question about a run's job at its provider. */
const ofLook = [
  "conflict",
  "model_gone",
  "provider_auth",
  "provider_forbidden",
  "provider_unreachable",
  "provider_timeout",
] as const;

/** Runs: each is one call of a model. */
export const runRoutes = {
  createRuns: {
    method: "POST",
    path: "/api/v1/runs",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Create one or more runs as a batch.",
    errors: ["model_gone", "idempotency_mismatch", "storage_full", "budget_exceeded"],
  },
  askPrompt: {
    method: "POST",
    path: "/api/v1/projects/:projectId/prompts",
    permission: "edit",
    target: { kind: "project", from: "param", name: "projectId" },
    summary:
      "Have a language model improve a prompt, or describe a picture as one: a private run, whose answer is in `result.parts`.",
    errors: ["model_gone", "idempotency_mismatch", "budget_exceeded"],
  },
  listRuns: {
    method: "GET",
    path: "/api/v1/runs",
    permission: "view",
    target: inProject,
    summary: "List the runs of a project, newest first.",
  },
  listBatches: {
    method: "GET",
    path: "/api/v1/batches",
    permission: "view",
    target: inProject,
    summary: "List the batches of a project with their runs and results.",
  },
  getRun: {
    method: "GET",
    path: "/api/v1/runs/:runId",
    permission: "view",
    target,
    summary: "Get a run with its attempts, inputs and outputs.",
  },
  getRunEvents: {
    method: "GET",
    path: "/api/v1/runs/:runId/events",
    permission: "view",
    target,
    summary:
      "Stream the events of a run. Last-Event-ID resumes. Words arrive without an ID before they are saved, with their offset in the answer.",
    answer: "events",
  },
  listRunEvents: {
    method: "GET",
    path: "/api/v1/runs/:runId/log",
    permission: "view",
    target,
    summary: "List the events of a run so far.",
  },
  cancelRun: {
    method: "POST",
    path: "/api/v1/runs/:runId/cancel",
    permission: "edit",
    target,
    summary: "Cancel a run. Its partial result is saved.",
  },
  approveRun: {
    method: "POST",
    path: "/api/v1/runs/:runId/approve",
    permission: "edit",
    target,
    summary: "Approve a run. The policy decides who can.",
    errors: ["conflict"],
  },
  answerQuestion: {
    method: "POST",
    path: "/api/v1/runs/:runId/answer",
    permission: "edit",
    target,
    summary: "Answer a tool’s question, or decline it. Only the run’s owner can.",
    errors: ["conflict"],
  },
  approveRuns: {
    method: "POST",
    path: "/api/v1/runs/approve",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Release all runs of a project that are waiting after a restore.",
  },
  tryAgain: {
    method: "POST",
    path: "/api/v1/runs/:runId/try-again",
    permission: "edit",
    target,
    summary: "Retry a run: create a new run with the same input.",
    errors: ["model_gone", "conflict"],
  },
  resolveRun: {
    method: "POST",
    path: "/api/v1/runs/:runId/resolve",
    permission: "edit",
    target,
    summary: "Resolve an unconfirmed run.",
    errors: ["conflict"],
  },
  lookAgain: {
    method: "POST",
    path: "/api/v1/runs/:runId/look-again",
    permission: "edit",
    target,
    summary: "Check an unconfirmed run's job at the provider now.",
    errors: ofLook,
  },
  attachJob: {
    method: "POST",
    path: "/api/v1/runs/:runId/attach",
    permission: "edit",
    target,
    summary: "Attach a provider's job to an unconfirmed run by its ID.",
    errors: ofLook,
  },
  fetchOutputs: {
    method: "POST",
    path: "/api/v1/runs/:runId/fetch-outputs",
    permission: "edit",
    target,
    summary: "Retry the download of missing results of a finished run.",
    errors: ["conflict", "model_gone"],
  },
} as const satisfies RouteTable;
