import { errorOf, startGoogle } from "../../../test/simulators/google.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { google } from "./adapter.ts";

const detail = (type: string, fields: object) => ({ "@type": `type.googleapis.com/google.rpc.${type}`, ...fields });
const quota = (quotaId: string) =>
  errorOf(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", [
    detail("QuotaFailure", { violations: [{ quotaMetric: "generativelanguage.googleapis.com/generate_content_requests", quotaId }] }),
    detail("RetryInfo", { retryDelay: "34.4s" }),
  ]);

keepsTheChatContract({
  adapter: google,
  async start() {
    const simulator = await startGoogle();
    const connection = { kind: "google", addresses: { api: simulator.url }, options: {}, secret: simulator.key };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  },
  model: "gemini-3.5-flash",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "AIza-wrong-key-of-somebody",
  refusals: [
    {
      when: "a limit of the minute is waited for as the body says",
      status: 429,
      body: quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"),
      error: { code: "provider_rate_limited", accepted: "no", retryAfterMs: 34_400 },
    },
    {
      when: "a limit of the day is not",
      status: 429,
      body: quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
      error: { code: "provider_quota", accepted: "no" },
    },
    {
      when: "an empty purse is not",
      status: 429,
      body: errorOf(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
      error: { code: "provider_quota", accepted: "no" },
    },
    {
      when: "a key that is not valid",
      status: 400,
      body: errorOf(400, "INVALID_ARGUMENT", "API key not valid.", [detail("ErrorInfo", { reason: "API_KEY_INVALID" })]),
      error: { code: "provider_auth", accepted: "no" },
    },
    {
      when: "a key without the right",
      status: 403,
      body: errorOf(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."),
      error: { code: "provider_auth", accepted: "no" },
    },
    {
      when: "a prompt that is too long",
      status: 400,
      body: errorOf(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a setting that is not known",
      status: 400,
      body: errorOf(400, "INVALID_ARGUMENT", "Invalid value at 'generation_config'."),
      error: { code: "provider_invalid_input", accepted: "no" },
    },
    {
      when: "a model that is gone",
      status: 404,
      body: errorOf(
        404,
        "NOT_FOUND",
        "models/gemini-1.0-pro is not found for API version v1beta, or is not supported for generateContent.",
      ),
      error: { code: "model_gone", accepted: "no" },
    },
    {
      when: "an overload",
      status: 503,
      body: errorOf(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
      error: { code: "provider_overloaded", accepted: "unknown" },
    },
    {
      when: "an error of the server",
      status: 500,
      body: errorOf(500, "INTERNAL", "An internal error has occurred."),
      error: { code: "outcome_unknown", accepted: "unknown" },
    },
  ],
  lateErrors: [
    { when: "an overload", error: errorOf(503, "UNAVAILABLE", "The model is overloaded.").error, code: "provider_overloaded" },
    { when: "a rate limit", error: errorOf(429, "RESOURCE_EXHAUSTED", "Resource exhausted.").error, code: "provider_rate_limited" },
    { when: "an error of the server", error: errorOf(500, "INTERNAL", "An internal error.").error, code: "provider_interrupted" },
  ],
});
