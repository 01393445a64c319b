import type { RouteTable } from "../route.ts";

const target = { kind: "comparison", from: "param", name: "comparisonId" } as const;

/** Results side by side, votes for the best, and the resulting leaderboard. */
export const comparisonRoutes = {
  listComparisons: {
    method: "GET",
    path: "/api/v1/comparisons",
    permission: "view",
    target: { kind: "project", from: "query", name: "projectId" },
    summary: "List the comparisons of a project, newest first.",
  },
  createComparison: {
    method: "POST",
    path: "/api/v1/comparisons",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Compare 2 to 8 results: files of runs, runs, or answers of conversations.",
  },
  getComparison: {
    method: "GET",
    path: "/api/v1/comparisons/:comparisonId",
    permission: "view",
    target,
    summary: "Get a comparison with its results and your vote.",
  },
  updateComparison: {
    method: "PATCH",
    path: "/api/v1/comparisons/:comparisonId",
    permission: "author",
    target,
    summary:
      "Rename a comparison, add results before anyone has voted or revealed the models, or move it to the trash and back.",
    errors: ["conflict"],
  },
  putVote: {
    method: "PUT",
    path: "/api/v1/comparisons/:comparisonId/vote",
    permission: "edit",
    target,
    summary:
      "Vote for the best results of a comparison. It can be changed until you reveal the models.",
    errors: ["conflict"],
  },
  revealComparison: {
    method: "POST",
    path: "/api/v1/comparisons/:comparisonId/reveal",
    permission: "edit",
    target,
    summary: "Reveal the models of a comparison to yourself. Revealing makes your vote final.",
  },
  getLeaderboard: {
    method: "GET",
    path: "/api/v1/leaderboard",
    permission: "self",
    summary: "Get the models of your projects, rated by the votes for their results.",
  },
  downloadLeaderboard: {
    method: "GET",
    path: "/api/v1/leaderboard.csv",
    permission: "self",
    summary: "Download the leaderboard as CSV.",
    answer: "bytes",
  },
} as const satisfies RouteTable;
