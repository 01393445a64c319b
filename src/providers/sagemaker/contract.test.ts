import { modelError, startSageMaker } from "../../../test/simulators/sagemaker.ts";
import { type ChatContract, keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { sagemaker } from "./adapter.ts";

const refusal = (status: number, type: string, message = "Simulated.") => ({
  status,
  body: { Message: message },
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazonaws.sagemaker/` },
});
const byContainer = (status: number, said: string) => {
  const { body, headers } = modelError(status, said);
  return { status: 424, body, headers: headers! };
};

const shared: Omit<ChatContract, "model"> = {
  adapter: sagemaker,
  async start() {
    const simulator = await startSageMaker();
    const { accessKeyId, secretAccessKey, region } = simulator.keys;
    const addresses = { api: simulator.url, control: simulator.url, s3: simulator.url, sts: simulator.url };
    const options = { region, template: "messages", endpoints: "sim-tgi: tgi, sim-painter: images, sim-anything: json" };
    return {
      simulator,
      origin: simulator.url,
      connection: { kind: "sagemaker", addresses, options, secret: JSON.stringify({ accessKeyId, secretAccessKey }) },
    };
  },
  refusals: [
    { when: "a rate limit", ...refusal(400, "ThrottlingException"), error: { code: "provider_rate_limited", accepted: "no" } },
    {
      when: "a model that is not ready",
      ...refusal(429, "ModelNotReadyException"),
      error: { code: "provider_rate_limited", accepted: "no" },
    },
    { when: "a key without the right", ...refusal(403, "AccessDeniedException"), error: { code: "provider_auth", accepted: "no" } },
    {
      when: "an endpoint that is gone",
      ...refusal(400, "ValidationError", "Endpoint x of account 123456789012 not found."),
      error: { code: "model_gone", accepted: "no" },
    },
    { when: "an overload", ...refusal(503, "ServiceUnavailable"), error: { code: "provider_overloaded", accepted: "unknown" } },
    {
      when: "a failure of the service",
      ...refusal(530, "InternalDependencyException"),
      error: { code: "provider_overloaded", accepted: "unknown" },
    },
    { when: "an error of the service", ...refusal(500, "InternalFailure"), error: { code: "outcome_unknown", accepted: "unknown" } },
    {
      when: "a container that refuses a setting",
      ...byContainer(422, "temperature must be positive"),
      error: { code: "provider_invalid_input", accepted: "unknown" },
    },
    {
      when: "a container whose context is too small",
      ...byContainer(400, "This model's maximum context length is 4096 tokens."),
      error: { code: "provider_context_too_long", accepted: "unknown" },
    },
    {
      when: "a container that fails",
      ...byContainer(500, "CUDA out of memory"),
      error: { code: "provider_interrupted", accepted: "unknown" },
    },
  ],
  lateErrors: [
    {
      when: "an error of the model",
      error: { type: "ModelStreamError", Message: "Oh", ErrorCode: "ModelInvocationTimeExceeded" },
      code: "provider_interrupted",
    },
    { when: "a failure of the service", error: { type: "InternalStreamFailure", Message: "Oh" }, code: "provider_interrupted" },
  ],
  wrongKey: JSON.stringify({ accessKeyId: "AKIDSIMULATOR", secretAccessKey: "a-wrong-key-of-somebody" }),
};

keepsTheChatContract({
  ...shared,
  model: "sim-vllm",
  capabilities: { imageInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
});
