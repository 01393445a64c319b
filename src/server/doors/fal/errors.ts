import type { Context } from "hono";
import { type ErrorCode, errors, Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { problemOfRun } from "../programs/follow.ts";
import { RunProblem } from "../programs/run-problem.ts";

/**
 * fal's statuses and types (fal.ai/docs, "Request errors" and "Model errors") where they differ
 * from our own table. Other errors are a `bad_request`, or from 500 on an `internal_error`.
 */
const errorFacts: Partial<Record<ErrorCode, { status?: number; type?: string }>> = {
  model_gone: { status: 404 },
  idempotency_mismatch: { status: 409 },
  provider_invalid_input: { status: 422, type: "value_error" },
  provider_rejected: { status: 422, type: "content_policy_violation" },
  provider_context_too_long: { status: 422, type: "value_error" },
  provider_rate_limited: { status: 429 },
  provider_overloaded: { status: 503, type: "runner_scheduling_failure" },
  provider_timeout: { status: 504, type: "request_timeout" },
  provider_unreachable: { status: 503, type: "runner_connection_error" },
  provider_interrupted: { status: 503, type: "runner_disconnected" },
  provider_failed: { status: 500, type: "internal_error" },
  output_unavailable: { type: "runner_incomplete_response" },
  provider_quota: { status: 403 },
};
/** The status and type of a canceled request (fal.ai/docs/documentation/model-apis/request-errors). */
const cancelled = { status: 499, type: "client_cancelled" };

/** Failed Dependency, a status that fal's client doesn't repeat by itself. */
const notToRepeat = 424;
/**
 * The statuses that fal's client repeats, three times each (@fal-ai/client 1.10.1, retry.ts; 500
 * for a bare status).
 */
const repeated: readonly number[] = [429, 500, 502, 503, 504];

export type FalError = {
  detail?: string | { loc: string[]; msg: string; type: string }[];
  error_type?: string;
  code: ErrorCode;
  id?: string;
} & JsonObject;

/**
 * Reports an invalid field in the form of fal's models, `{detail: [{loc, msg, type}]}`, and
 * anything else in the form of its infrastructure, `{detail, error_type}`.
 */
export function toFalError(problem: Problem, ids: { id?: string } = {}): FalError {
  const own = { code: problem.code, ...(ids.id && { id: ids.id }) };
  const { providerAnswer, field } = problem.detail;
  // fal's own response is passed to its client unchanged.
  if (providerAnswer) return { ...providerAnswer.body, ...own };
  const { status, type } = factsOf(problem);
  const message = messageOf(problem);
  if (status !== 422) return { detail: message, error_type: type, ...own };
  const isOfBody = field !== undefined && !/^(x-|idempotency-key$)/i.test(field);
  const path = isOfBody
    ? field
        .replace(/^input\./, "")
        .split(".")
        .filter(Boolean)
    : [];
  const detailType = problem.code === "invalid_input" ? "value_error" : type;
  return { detail: [{ loc: ["body", ...path], msg: message, type: detailType }], ...own };
}

/** The client already has the run's id. */
const messageOf = (problem: Problem): string =>
  problem instanceof RunProblem
    ? problem.message.replace(` (run ${problem.runId})`, "")
    : problem.message;

/** Returns fal's type for the failure of a run. */
export function falTypeOf(
  code: ErrorCode,
  providerAnswer: { body: JsonObject } | undefined,
  isCancelled = false,
): string {
  const given = providerAnswer?.body.error_type;
  if (typeof given === "string") return given;
  const { type, status = errors[code].status } = isCancelled ? cancelled : (errorFacts[code] ?? {});
  return type ?? (status >= 500 ? "internal_error" : "bad_request");
}

/**
 * A run that may have been accepted is answered with a status that no client repeats, and so is
 * every result whose outcome this server doesn't know. A request that was definitely not accepted
 * keeps its status, so that the client may repeat it. So does an error requested by the request's
 * id, because reading it again starts nothing.
 */
export function answerFalError(c: Context, problem: Problem, ids: { id?: string } = {}): Response {
  const usual = falStatusOf(problem);
  const mayBeAccepted = problem instanceof RunProblem && problem.mayBeAccepted;
  const status = mayBeAccepted && repeated.includes(usual) ? notToRepeat : usual;
  const { retryAfterMs } = problem.detail;
  const body = toFalError(problem, ids);
  return c.json(body, status as 500, {
    "cache-control": "no-store",
    ...(typeof body.error_type === "string" && { "x-fal-error-type": body.error_type }),
    ...(problem instanceof RunProblem && { "x-fal-request-id": problem.runId }),
    ...(retryAfterMs && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  });
}

/**
 * The failure of a run that is read by its id, or told to a webhook. Reading it starts nothing, so
 * it keeps fal's status.
 */
export const failureOf = (run: OwnedRun): RunProblem =>
  new RunProblem(
    run.state === "unconfirmed" && !run.error ? new Problem("outcome_unknown") : problemOfRun(run),
    run.id,
    false,
  );

export const falStatusOf = (problem: Problem): number => factsOf(problem).status;

function factsOf(problem: Problem): { status: number; type: string } {
  const { code, detail } = problem;
  const isCancelled = problem instanceof RunProblem && code === "conflict";
  const status = isCancelled ? cancelled.status : (errorFacts[code]?.status ?? errors[code].status);
  return {
    status: detail.providerAnswer?.status ?? status,
    type: falTypeOf(code, detail.providerAnswer, isCancelled),
  };
}
