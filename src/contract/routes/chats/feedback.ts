import type { RouteTable } from "../../route.ts";

const target = { kind: "message", from: "param", name: "messageId" } as const;
/** Ratings of answers, visible to everyone who reads the conversation. */
export const feedbackRoutes = {
  putFeedback: {
    method: "PUT",
    path: "/api/v1/messages/:messageId/feedback",
    permission: "edit",
    target,
    summary: "Rate an answer as good or bad, with optional reasons. It replaces your last rating.",
    errors: ["conflict"],
  },
  removeFeedback: {
    method: "DELETE",
    path: "/api/v1/messages/:messageId/feedback",
    permission: "edit",
    target,
    summary: "Remove your rating of an answer.",
  },
} as const satisfies RouteTable;
