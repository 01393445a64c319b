import { startBedrock } from "../../../test/simulators/bedrock.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { bedrock } from "./adapter.ts";

const named = (type: string) => ({ "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` });
const refusal = (status: number, type: string, message = "Simulated.") => ({ status, body: { message }, headers: named(type) });

keepsTheChatContract({
  adapter: bedrock,
  async start() {
    const simulator = await startBedrock();
    const { accessKeyId, secretAccessKey, region } = simulator.keys;
    const addresses = { api: simulator.url, control: simulator.url, s3: simulator.url, sts: simulator.url };
    const secret = JSON.stringify({ accessKeyId, secretAccessKey });
    return { simulator, origin: simulator.url, connection: { kind: "bedrock", addresses, options: { region }, secret } };
  },
  model: "eu.anthropic.claude-sonnet-9-v1:0",
  capabilities: { imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({ accessKeyId: "AKIDSIMULATOR", secretAccessKey: "a-wrong-key-of-somebody" }),
  refusals: [
    {
      when: "a rate limit",
      ...refusal(429, "ThrottlingException", "Too many requests, please wait before trying again."),
      error: { code: "provider_rate_limited", accepted: "no" },
    },
    {
      when: "a day's tokens that are used up",
      ...refusal(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."),
      error: { code: "provider_quota", accepted: "no" },
    },
    {
      when: "a model that is not ready",
      ...refusal(429, "ModelNotReadyException"),
      error: { code: "provider_rate_limited", accepted: "no" },
    },
    { when: "a quota", ...refusal(400, "ServiceQuotaExceededException"), error: { code: "provider_quota", accepted: "no" } },
    { when: "a key without the right", ...refusal(403, "AccessDeniedException"), error: { code: "provider_auth", accepted: "no" } },
    { when: "a key that has ended", ...refusal(403, "ExpiredTokenException"), error: { code: "provider_auth", accepted: "no" } },
    {
      when: "a prompt that is too long",
      ...refusal(400, "ValidationException", "Input is too long for requested model."),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a prompt of too many tokens",
      ...refusal(400, "ValidationException", "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum"),
      error: { code: "provider_context_too_long", accepted: "no" },
    },
    {
      when: "a model that is not there",
      ...refusal(400, "ValidationException", "The provided model identifier is invalid."),
      error: { code: "model_gone", accepted: "no" },
    },
    {
      when: "a model that is gone",
      ...refusal(404, "ResourceNotFoundException", "This model version has reached the end of its life."),
      error: { code: "model_gone", accepted: "no" },
    },
    {
      when: "a setting that is wrong",
      ...refusal(400, "ValidationException", "Malformed input request: #: extraneous key [seed] is not permitted"),
      error: { code: "provider_invalid_input", accepted: "no" },
    },
    {
      when: "a model that took too long",
      ...refusal(408, "ModelTimeoutException"),
      error: { code: "provider_timeout", accepted: "unknown" },
    },
    { when: "a model that failed", ...refusal(424, "ModelErrorException"), error: { code: "provider_interrupted", accepted: "unknown" } },
    {
      when: "an error of the service",
      ...refusal(500, "InternalServerException"),
      error: { code: "outcome_unknown", accepted: "unknown" },
    },
    { when: "an overload", ...refusal(503, "ServiceUnavailableException"), error: { code: "provider_overloaded", accepted: "unknown" } },
  ],
  lateErrors: [
    { when: "throttled", error: { type: "throttlingException", message: "Too many requests" }, code: "provider_rate_limited" },
    { when: "an error of the server", error: { type: "internalServerException", message: "Oh" }, code: "provider_interrupted" },
    {
      when: "an error of the model",
      error: { type: "modelStreamErrorException", message: "Oh", originalStatusCode: 500, originalMessage: "Oh" },
      code: "provider_interrupted",
    },
    {
      when: "an overload",
      error: { type: "serviceUnavailableException", message: "Bedrock is unable to process it" },
      code: "provider_overloaded",
    },
    { when: "a refusal", error: { type: "validationException", message: "Input is too long" }, code: "provider_context_too_long" },
    {
      when: "an exception that the client does not know",
      error: { type: "modelTimeoutException", message: "Oh" },
      code: "provider_timeout",
    },
  ],
});
