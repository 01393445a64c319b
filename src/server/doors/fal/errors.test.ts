import { Hono } from "hono";
import { expect, it } from "vitest";
import { type ErrorCode, Problem } from "#contract/errors.ts";
import { RunProblem } from "../programs/run-problem.ts";
import { answerFalError, falTypeOf } from "./errors.ts";

const answer = async (problem: Problem) => {
  const response = await new Hono()
    .get("/", (c) => answerFalError(c, problem))
    .request("http://studio.example.org/");
  const body = (await response.json()) as { detail: unknown; error_type?: string; code: string };
  return { status: response.status, type: response.headers.get("x-fal-error-type"), body };
};

/** The statuses and types of fal.ai/docs, "Request errors" and "Model errors". */
const documented: [code: ErrorCode, status: number, type: string][] = [
  ["provider_overloaded", 503, "runner_scheduling_failure"],
  ["provider_unreachable", 503, "runner_connection_error"],
  ["provider_interrupted", 503, "runner_disconnected"],
  ["provider_timeout", 504, "request_timeout"],
  ["provider_failed", 500, "internal_error"],
  ["output_unavailable", 502, "runner_incomplete_response"],
  ["provider_rate_limited", 429, "bad_request"],
  ["provider_quota", 403, "bad_request"],
  ["model_gone", 404, "bad_request"],
  ["internal", 500, "internal_error"],
];

it.each(documented)("%s is answered as fal documents it: %i %s", async (code, status, type) => {
  expect(await answer(new Problem(code))).toMatchObject({
    status,
    type,
    body: { error_type: type, detail: expect.any(String), code },
  });
  expect(falTypeOf(code, undefined)).toBe(type);
});

it.each([
  ["provider_invalid_input", "value_error"],
  ["provider_context_too_long", "value_error"],
  ["provider_rejected", "content_policy_violation"],
] as const)("%s names its field as fal's models do: %s", async (code, type) => {
  const problem = new Problem(code, { field: "input.image_size.width" });
  expect(await answer(problem)).toMatchObject({
    status: 422,
    type: null,
    body: { detail: [{ loc: ["body", "image_size", "width"], type }] },
  });
});

it.each([
  ["provider_interrupted", 424],
  ["provider_failed", 424],
  ["provider_rejected", 422],
] as const)(
  "%s of a run that may have been accepted has a status that no client repeats: %i",
  async (code, status) => {
    const problem = new RunProblem(new Problem(code), "run", true);
    expect((await answer(problem)).status).toBe(status);
  },
);
