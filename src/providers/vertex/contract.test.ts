import { errorOf } from "../../../test/simulators/google.ts";
import { startVertex } from "../../../test/simulators/vertex.ts";
import { type ChatContract, keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { vertex } from "./adapter.ts";

async function start() {
  const simulator = await startVertex();
  const { origin } = simulator;
  const addresses = { api: origin, token: `${origin}/token`, storage: origin };
  const secret = JSON.stringify({ serviceAccount: simulator.tokens.keyFile });
  return { simulator, origin, connection: { kind: "vertex", addresses, options: { location: "us-central1" }, secret } };
}

const refusals: ChatContract["refusals"] = [
  {
    when: "a shared limit is waited for",
    status: 429,
    body: errorOf(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later."),
    error: { code: "provider_rate_limited", accepted: "no" },
  },
  {
    when: "a project without billing",
    status: 403,
    body: errorOf(403, "PERMISSION_DENIED", "This API method requires billing to be enabled."),
    error: { code: "provider_quota", accepted: "no" },
  },
  {
    when: "an account without the role",
    status: 403,
    body: errorOf(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource."),
    error: { code: "provider_auth", accepted: "no" },
  },
  {
    when: "a model that is not in this location",
    status: 404,
    body: errorOf(
      404,
      "NOT_FOUND",
      "Publisher Model `publishers/google/models/gemini-0` was not found or your project does not have access to it.",
    ),
    error: { code: "model_gone", accepted: "no" },
  },
  {
    when: "an overload",
    status: 503,
    body: errorOf(503, "UNAVAILABLE", "The service is currently unavailable."),
    error: { code: "provider_overloaded", accepted: "unknown" },
  },
];

keepsTheChatContract({
  adapter: vertex,
  start,
  model: "gemini-3.5-flash",
  capabilities: { reasoning: true, imageInput: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  refusals,
  lateErrors: [{ when: "an overload", error: errorOf(503, "UNAVAILABLE", "Overloaded.").error, code: "provider_overloaded" }],
});

const claude = (type: string, message = "Simulated.") => ({ type: "error", error: { type, message } });
keepsTheChatContract({
  adapter: vertex,
  start,
  model: "anthropic/claude-opus-5",
  capabilities: { reasoning: true, imageInput: true, tools: true },
  reasons: true,
  usesTools: true,
  refusals: [
    ...refusals,
    {
      when: "a rate limit of Claude's own",
      status: 429,
      body: claude("rate_limit_error"),
      headers: { "retry-after": "7" },
      error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 7_000 },
    },
    {
      when: "a prompt that is too long for Claude",
      status: 400,
      body: claude("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
  ],
  lateErrors: [{ when: "an overload", error: { type: "overloaded_error", message: "Overloaded" }, code: "provider_overloaded" }],
});
