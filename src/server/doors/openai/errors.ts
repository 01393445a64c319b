import type { Context } from "hono";
import { type ErrorCode, errors, type Problem } from "#contract/errors.ts";
import type { Env } from "../../env.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { howToRepeat, RunProblem } from "../programs/run-problem.ts";

type Facts = { status?: number; type?: string; code?: string };

/** OpenAI's statuses, types and codes where they differ from our own table. */
const errorFacts: Partial<Record<ErrorCode, Facts>> = {
  not_signed_in: { type: "authentication_error", code: "invalid_api_key" },
  forbidden: { type: "permission_error", code: "insufficient_permissions" },
  not_found: { type: "invalid_request_error" },
  model_gone: { status: 404, type: "invalid_request_error", code: "model_not_found" },
  invalid_input: { status: 400, type: "invalid_request_error", code: "invalid_value" },
  unsupported_media: { status: 400, type: "invalid_request_error" },
  idempotency_mismatch: { status: 400, type: "idempotency_error" },
  too_large: { type: "invalid_request_error" },
  budget_exceeded: { type: "insufficient_quota", code: "insufficient_quota" },
  ceiling_needed: { type: "insufficient_quota" },
  storage_limit: { status: 413, type: "invalid_request_error", code: "storage_limit" },
  rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  provider_rate_limited: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  provider_quota: { status: 402, type: "insufficient_quota" },
  provider_overloaded: { status: 503 },
  provider_failed: { status: 503 },
  // 401 would say that the program's own key is wrong.
  provider_auth: { status: 403, type: "permission_error" },
  provider_forbidden: { status: 403, type: "permission_error" },
  provider_invalid_input: { status: 400, type: "invalid_request_error" },
  provider_context_too_long: {
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
  context_full: { status: 400, type: "invalid_request_error", code: "context_length_exceeded" },
  provider_rejected: {
    status: 400,
    type: "invalid_request_error",
    code: "content_policy_violation",
  },
};

/** Codes for specific fields of a request. */
const codesOf: Partial<Record<ErrorCode, Record<string, string>>> = {
  not_found: { model: "model_not_found" },
  invalid_input: { previous_response_id: "previous_response_not_found" },
};

export type OpenAiError = {
  error: {
    message: string;
    type: string;
    param: string | null;
    code: string | null;
    run_id?: string;
    id?: string;
  };
};

export function toOpenAiError(problem: Problem, ids: { id?: string } = {}): OpenAiError {
  const facts = errorFacts[problem.code] ?? {};
  const { field } = problem.detail;
  // The input of a response is the program's own list, so its fields keep their path.
  const param = field?.replace(/^(input|settings)\.(?!\d)/, "") ?? null;
  const code = param === null ? undefined : codesOf[problem.code]?.[param];
  return {
    error: {
      message: problem.message,
      type: facts.type ?? "server_error",
      param,
      code: code ?? facts.code ?? problem.code,
      ...(problem instanceof RunProblem && { run_id: problem.runId }),
      ...(ids.id && { id: ids.id }),
    },
  };
}

/** Returns the last event of a stream whose run failed. */
export const onProblem = (problem: Problem): StreamedEvent => ({ payload: toOpenAiError(problem) });

export function answerOpenAiError(
  c: Context<Env>,
  problem: Problem,
  ids: { id?: string },
): Response {
  const usual = errorFacts[problem.code]?.status ?? errors[problem.code].status;
  const { status, headers } = howToRepeat(problem, usual);
  return c.json(toOpenAiError(problem, ids), status as 500, headers);
}
