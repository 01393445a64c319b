import type { RouteTable } from "../../route.ts";

/** The project of the API key, which these routes require. */
const target = { kind: "project", from: "key" } as const;

/**
 * Anthropic's Messages API for every chat model, as `connection/model`. Errors have Anthropic's
 * format; each answer is a run.
 */
export const anthropicRoutes = {
  createMessage: {
    method: "POST",
    path: "/v1/messages",
    permission: "edit",
    target,
    summary: "Create a message in Anthropic’s format, whole or streamed.",
    errors: [
      "model_gone",
      "budget_exceeded",
      "ceiling_needed",
      "idempotency_mismatch",
      "storage_full",
      "too_large",
    ],
    body: "files",
  },
  countMessageTokens: {
    method: "POST",
    path: "/v1/messages/count_tokens",
    permission: "edit",
    target,
    summary: "Estimate the input tokens of a message in Anthropic’s format.",
    body: "files",
  },
} as const satisfies RouteTable;
