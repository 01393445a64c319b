import { startAzure } from "../../../test/simulators/azure.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { azure } from "./adapter.ts";

const body = (error: object) => ({ error: { message: "Simulated.", param: null, type: null, code: null, ...error } });
const safe = { filtered: false, severity: "safe" };
const filter = { hate: safe, self_harm: { filtered: true, severity: "medium" }, violence: { filtered: true, severity: "high" } };

keepsTheChatContract({
  adapter: azure,
  async start() {
    const simulator = await startAzure();
    const options = { deployments: "gpt-5-house = gpt-5.5" };
    const connection = { kind: "azure", addresses: { api: simulator.url }, options, secret: JSON.stringify({ key: simulator.key }) };
    return { simulator, origin: simulator.url, connection };
  },
  model: "gpt-5-house",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({ key: "wrong-key-of-somebody" }),
  refusals: [
    {
      when: "a rate limit is waited for",
      status: 429,
      body: body({ code: "429", message: "Rate limit is exceeded. Try again in 3 seconds." }),
      headers: { "retry-after-ms": "2750", "retry-after": "3" },
      error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 2_750 },
    },
    {
      when: "a prompt that its filter stopped",
      status: 400,
      body: body({
        code: "content_filter",
        param: "prompt",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: filter },
      }),
      error: { code: "provider_rejected", accepted: "no" },
    },
    {
      when: "a prompt that is too long",
      status: 400,
      body: body({ code: "context_length_exceeded" }),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a deployment that is gone",
      status: 404,
      body: body({ code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." }),
      error: { code: "model_gone", accepted: "no" },
    },
    { when: "an empty purse", status: 429, body: body({ code: "insufficient_quota" }), error: { code: "provider_quota", accepted: "no" } },
    {
      when: "a role that is missing",
      status: 401,
      body: body({ code: "PermissionDenied", message: "The principal lacks the required data action." }),
      error: { code: "provider_auth", accepted: "no" },
    },
    { when: "an overload", status: 503, body: body({ code: "503" }), error: { code: "provider_overloaded", accepted: "unknown" } },
  ],
  lateErrors: [
    { when: "an error of the server", error: { code: "server_error", message: "The model had an error." }, code: "provider_interrupted" },
    { when: "a filter", error: { code: "content_filter", message: "Stopped." }, code: "provider_rejected" },
  ],
});
