import type { Context } from "hono";
import { type ErrorCode, errors, Problem } from "#contract/errors.ts";

type Facts = { status?: number; type?: string; code?: string };

/** How OpenAI says it, where that differs from our own table. */
const said: Partial<Record<ErrorCode, Facts>> = {
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

/** A code of its own for one field of a request. */
const codesOf: Partial<Record<ErrorCode, Record<string, string>>> = {
  not_found: { model: "model_not_found" },
  invalid_input: { previous_response_id: "previous_response_not_found" },
};

/** Failed Dependency: what the clients of this API do not repeat by themselves. */
const notToRepeat = 424;
/** What they do repeat: the `openai` client and the AI SDK alike. */
const isRepeated = (status: number): boolean => status >= 500 || [408, 409, 429].includes(status);

/** A run that started and did not succeed: the request may have been accepted and charged. */
export class RunProblem extends Problem {
  readonly runId: string;
  /** False only when every provider definitely refused it: then it may be sent again. */
  readonly mayBeAccepted: boolean;
  constructor(problem: Problem, runId: string, mayBeAccepted: boolean) {
    super(problem.code, problem.detail, { cause: problem });
    this.runId = runId;
    this.mayBeAccepted = mayBeAccepted;
  }
}

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
  const facts = said[problem.code] ?? {};
  const { field } = problem.detail;
  const param = field?.replace(/^(input|settings)\./, "") ?? null;
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

/**
 * `x-should-retry: false` is sent wherever a repeat could be charged twice. The AI SDK does not read it, but the status alone: what
 * may have been accepted has one that nobody repeats.
 */
export function answerOpenAiError(c: Context, problem: Problem, ids: { id?: string }): Response {
  const usual = said[problem.code]?.status ?? errors[problem.code].status;
  const mayBeAccepted = problem instanceof RunProblem && problem.mayBeAccepted;
  const status = mayBeAccepted && isRepeated(usual) ? notToRepeat : usual;
  const { retryAfterMs } = problem.detail;
  // A server that does not know what it did must not be asked to do it again; one that says when to come again knows.
  const isKnown = problem instanceof RunProblem || usual < 500 || retryAfterMs !== undefined;
  const isSafe = !mayBeAccepted && isKnown && errors[problem.code].retryable;
  return c.json(toOpenAiError(problem, ids), status as 500, {
    "cache-control": "no-store",
    "x-should-retry": String(isSafe),
    ...(problem instanceof RunProblem && { "x-request-id": problem.runId }),
    ...(retryAfterMs && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  });
}
