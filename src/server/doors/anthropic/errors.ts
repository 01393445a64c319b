import type { Context } from "hono";
import { type ErrorCode, errors, type Problem } from "#contract/errors.ts";
import type { Env } from "../../env.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { howToRepeat, RunProblem } from "../programs/run-problem.ts";

type Facts = { status?: number; type: string };

/**
 * Anthropic's names and statuses (https://docs.claude.com/en/api/errors) where they differ from our
 * own table.
 */
const errorFacts: Partial<Record<ErrorCode, Facts>> = {
  not_signed_in: { type: "authentication_error" },
  forbidden: { type: "permission_error" },
  not_found: { type: "not_found_error" },
  model_gone: { status: 404, type: "not_found_error" },
  invalid_input: { status: 400, type: "invalid_request_error" },
  unsupported_media: { status: 400, type: "invalid_request_error" },
  idempotency_mismatch: { status: 400, type: "invalid_request_error" },
  too_large: { status: 413, type: "request_too_large" },
  storage_limit: { status: 413, type: "request_too_large" },
  budget_exceeded: { status: 402, type: "billing_error" },
  ceiling_needed: { status: 402, type: "billing_error" },
  provider_quota: { status: 402, type: "billing_error" },
  rate_limited: { type: "rate_limit_error" },
  provider_rate_limited: { status: 429, type: "rate_limit_error" },
  provider_overloaded: { status: 529, type: "overloaded_error" },
  provider_failed: { status: 503, type: "api_error" },
  // 401 would say that the program's own key is wrong.
  provider_auth: { status: 403, type: "permission_error" },
  provider_forbidden: { status: 403, type: "permission_error" },
  unavailable: { type: "overloaded_error" },
  provider_timeout: { type: "timeout_error" },
  provider_invalid_input: { status: 400, type: "invalid_request_error" },
  provider_rejected: { status: 400, type: "invalid_request_error" },
  provider_context_too_long: { status: 400, type: "invalid_request_error" },
  context_full: { status: 400, type: "invalid_request_error" },
};

/** Errors that make Claude Code and others shorten a conversation. */
const contextCodes: ReadonlySet<ErrorCode> = new Set(["provider_context_too_long", "context_full"]);

const toAnthropicError = (problem: Problem, ids: { id?: string | undefined } = {}) => ({
  type: "error" as const,
  error: {
    type: errorFacts[problem.code]?.type ?? "api_error",
    message: contextCodes.has(problem.code)
      ? `prompt is too long: ${problem.message}`
      : problem.message,
  },
  request_id: problem instanceof RunProblem ? problem.runId : (ids.id ?? null),
});

/**
 * Whether a request comes from a client of Anthropic's API, which sends its version with every
 * request, also to paths that both APIs have.
 */
export const isAnthropicCall = (c: Context): boolean =>
  c.req.path.startsWith("/v1/messages") || c.req.header("anthropic-version") !== undefined;

/** Returns the last event of a stream whose run failed. */
export const onProblem = (problem: Problem): StreamedEvent => ({
  type: "error",
  payload: toAnthropicError(problem),
});

export function answerAnthropicError(
  c: Context<Env>,
  problem: Problem,
  ids: { id?: string },
): Response {
  const usual = errorFacts[problem.code]?.status ?? errors[problem.code].status;
  const { status, headers } = howToRepeat(problem, usual);
  const body = toAnthropicError(problem, { id: ids.id ?? c.get("requestId") });
  return c.json(body, status as 500, {
    ...headers,
    ...(body.request_id !== null && { "request-id": body.request_id }),
  });
}
