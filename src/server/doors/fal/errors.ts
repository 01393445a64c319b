import type { Context } from "hono";
import { type ErrorCode, errors, type Problem } from "#contract/errors.ts";
import { RunProblem } from "../programs/run-problem.ts";

/** How fal says it (docs.fal.ai, "Request errors" and "Model errors"), where that differs from our own table. */
const said: Partial<Record<ErrorCode, { status?: number; type?: string }>> = {
  model_gone: { status: 404 },
  idempotency_mismatch: { status: 409 },
  provider_invalid_input: { status: 422 },
  provider_rejected: { status: 422, type: "content_policy_violation" },
  provider_context_too_long: { status: 422 },
  provider_rate_limited: { status: 429, type: "rate_limited" },
  provider_overloaded: { status: 503, type: "runner_scheduling_failure" },
  provider_timeout: { status: 504, type: "request_timeout" },
  provider_unreachable: { status: 502, type: "runner_connection_error" },
  provider_quota: { status: 403 },
};

/** Failed Dependency: what fal's client does not repeat by itself. */
const notToRepeat = 424;
/** What it does repeat, three times (@fal-ai/client 1.10.1, retry.ts; 500 for a status alone). */
const repeated: readonly number[] = [429, 500, 502, 503, 504];

export type FalError = {
  detail: string | { loc: string[]; msg: string; type: string }[];
  error_type?: string;
  code: ErrorCode;
  id?: string;
};

/** A wrong field as fal's models say it, `{detail: [{loc, msg, type}]}`; anything else as its infrastructure, `{detail, error_type}`. */
export function toFalError(problem: Problem, ids: { id?: string } = {}): FalError {
  const { status, type = problem.code } = factsOf(problem);
  const { field } = problem.detail;
  const own = { code: problem.code, ...(ids.id && { id: ids.id }) };
  if (status !== 422) return { detail: problem.message, error_type: type, ...own };
  const isOfBody = field !== undefined && !/^(x-|idempotency-key$)/i.test(field);
  const path = isOfBody
    ? field
        .replace(/^input\./, "")
        .split(".")
        .filter(Boolean)
    : [];
  return {
    detail: [
      {
        loc: ["body", ...path],
        msg: problem.message,
        type: problem.code === "invalid_input" ? "value_error" : type,
      },
    ],
    ...own,
  };
}

/**
 * A run that may have been accepted is answered with a status that nobody repeats; so is every result whose outcome this
 * server does not know. A request that was definitely not accepted keeps its status, so that the client may repeat it.
 */
export function answerFalError(c: Context, problem: Problem, ids: { id?: string } = {}): Response {
  const { status: usual } = factsOf(problem);
  const mayBeAccepted = problem instanceof RunProblem && problem.mayBeAccepted;
  const status = mayBeAccepted && repeated.includes(usual) ? notToRepeat : usual;
  const { retryAfterMs } = problem.detail;
  return c.json(toFalError(problem, ids), status as 500, {
    "cache-control": "no-store",
    ...(problem instanceof RunProblem && { "x-fal-request-id": problem.runId }),
    ...(retryAfterMs && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  });
}

const factsOf = ({ code }: Problem): { status: number; type?: string } => ({
  status: errors[code].status,
  ...said[code],
});
