import { startFal } from "../../simulators/fal.ts";
import type { Behaviour } from "../../simulators/kit/behaviour.ts";
import { buildRequest } from "../contracts/attempt.ts";
import type { Cells, Refusal, Started } from "./table.ts";

export type Said = { status: number; body: unknown; headers?: Record<string, string> };
/** For a simulator without behaviors: the refusal of a behavior. */
export const refusalOf = ({ fault }: Behaviour): Said => {
  if (fault?.kind !== "status") throw new Error("Only a refusal can be scripted here.");
  return {
    status: fault.status,
    body: fault.body,
    ...(fault.headers && { headers: fault.headers }),
  };
};

/** A model's error about its input. */
export const ofModel = (status: number, type: string, msg: string, ...loc: string[]): Refusal => ({
  status,
  headers: { "x-fal-retryable": "false" },
  body: { detail: [{ loc: ["body", ...loc], msg, type }] },
  ...(loc.length > 0 && { field: loc.join(".") }),
});
/** The platform's reason for not running the model. */
export const ofPlatform = (status: number, type: string, detail: string): Refusal => ({
  status,
  headers: { "x-fal-error-type": type },
  body: { detail, error_type: type },
});

export const falRefusals: Cells<Refusal> = {
  "rate limit": {
    status: 429,
    body: { detail: "Too many requests, slow down" },
    headers: { "retry-after": "2" },
    waitMs: 2_000,
  },
  "used up": {
    status: 403,
    body: {
      detail:
        "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.",
    },
  },
  "wrong key": {
    status: 401,
    body: {
      detail:
        "Cannot access application 'sim/flux'. Authentication is required to access this application.",
    },
  },
  "missing right": {
    status: 403,
    body: { detail: "This key has no permission to run this application." },
  },
  "too long": {
    ...ofModel(422, "string_too_long", "String should have at most 5000 characters", "prompt"),
    // A single field, not a conversation.
    code: "provider_invalid_input",
  },
  filter: ofModel(
    422,
    "content_policy_violation",
    "The content could not be processed because it was flagged.",
    "prompt",
  ),
  "wrong setting": [
    ofModel(422, "less_than", "Input should be less than 14142", "image_size", "width"),
    ofModel(
      422,
      "image_load_error",
      "Failed to load the image. Please ensure the image file is not corrupted.",
      "image_url",
    ),
    ofPlatform(400, "bad_request", "The request could not be parsed."),
  ],
  "model gone": { status: 404, body: { detail: "Application 'sim/flux' not found" } },
  overload: [
    ofPlatform(503, "runner_scheduling_failure", "No runner could be allocated"),
    ofPlatform(503, "runner_disconnected", "The runner disconnected unexpectedly"),
    ofModel(503, "downstream_service_unavailable", "The service behind this model is unavailable."),
  ],
  timeout: [
    ofPlatform(504, "request_timeout", "Request timed out"),
    ofPlatform(504, "startup_timeout", "The runner did not start in time"),
    ofModel(504, "generation_timeout", "The generation timed out."),
  ],
  "broken server": [
    ofPlatform(500, "internal_error", "Internal error, sorry"),
    ofModel(500, "internal_server_error", "Internal server error"),
  ],
};

export async function startQueue(
  options: Record<string, string> = {},
): Promise<Started & { fal: Awaited<ReturnType<typeof startFal>> }> {
  const sim = await startFal();
  return {
    fal: sim,
    simulator: {
      posts: sim.ledger.posts,
      script: (next) => sim.refuse(refusalOf(next)),
      stop: sim.stop,
    },
    origin: sim.url,
    connection: { kind: "fal", addresses: sim.addresses, options, secret: sim.key },
  };
}

export const picture = buildRequest({
  task: "image",
  model: { id: "sim/flux/dev", inputSchema: null, capabilities: {} },
  turns: [],
  input: { prompt: "a fox" },
});
