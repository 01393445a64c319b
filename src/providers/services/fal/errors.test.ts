import { expect, it } from "vitest";
import type { ErrorCode } from "#contract/errors.ts";
import type { CallContext } from "../../adapter.ts";
import { type FalPhase, readFalFailure } from "./errors.ts";

const context = {
  clock: { now: () => 0 },
  connection: { secret: "key" },
} as unknown as CallContext;

const failed = (status: number, body: object, phase: FalPhase) =>
  readFalFailure(Response.json(body, { status }), phase, context);

it.each<[status: number, code: ErrorCode]>([
  [400, "provider_invalid_input"],
  [401, "provider_auth"],
  [402, "provider_quota"],
  [403, "provider_forbidden"],
  [404, "model_gone"],
  [413, "provider_invalid_input"],
  [422, "provider_invalid_input"],
  [429, "provider_rate_limited"],
])("a submit refused with %i is %s, and was not accepted", async (status, code) => {
  const error = await failed(status, { detail: "No." }, "submit");
  expect(error).toMatchObject({ code, accepted: "no", detail: { httpStatus: status } });
  expect(error.detail).not.toHaveProperty("ownShape");
});

it.each<[status: number, code: ErrorCode]>([
  [408, "provider_timeout"],
  [499, "provider_interrupted"],
  [504, "provider_timeout"],
])(
  "a submit that ends with %i is %s, and may have been accepted unless fal names its error",
  async (status, code) => {
    expect(await failed(status, { detail: "No." }, "submit")).toMatchObject({
      code,
      accepted: "unknown",
    });
  },
);

it.each<[type: string, status: number, code: ErrorCode]>([
  ["request_timeout", 504, "provider_timeout"],
  ["startup_timeout", 504, "provider_timeout"],
  ["client_cancelled", 499, "provider_interrupted"],
  ["client_disconnected", 499, "provider_interrupted"],
  ["bad_request", 400, "provider_invalid_input"],
  ["internal_error", 500, "provider_overloaded"],
])("a job's result of type %s and status %i is final: %s", async (type, status, code) => {
  expect(await failed(status, { detail: "No.", error_type: type }, "result")).toMatchObject({
    code,
    accepted: "yes",
    detail: { final: true, ownShape: true, reason: type },
  });
});

it.each<[type: string, status: number, code: ErrorCode]>([
  ["content_policy_violation", 422, "provider_rejected"],
  ["generation_timeout", 504, "provider_timeout"],
  ["downstream_service_error", 500, "provider_overloaded"],
  ["downstream_service_unavailable", 503, "provider_overloaded"],
  ["internal_server_error", 500, "provider_overloaded"],
])("a model's %s in a result is final, and names its field", async (type, status, code) => {
  const detail = [{ loc: ["body", "prompt"], msg: "No.", type }];
  expect(await failed(status, { detail }, "result")).toMatchObject({
    code,
    accepted: "yes",
    detail: { final: true, field: "prompt", reason: type },
  });
});
