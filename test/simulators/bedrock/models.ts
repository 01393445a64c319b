/** Models and profiles in the form of ListFoundationModels and ListInferenceProfiles. */
const arn = (id: string) => `arn:aws:bedrock:eu-test-1::foundation-model/${id}`;

function model(
  modelId: string,
  providerName: string,
  inputs: string[],
  outputs: string[],
  types: string[],
  status = "ACTIVE",
) {
  return {
    modelArn: arn(modelId),
    modelId,
    modelName: modelId.split(".")[1]!.replace(/-v\d.*$/, ""),
    providerName,
    inputModalities: inputs,
    outputModalities: outputs,
    responseStreamingSupported: outputs.includes("TEXT"),
    customizationsSupported: [],
    inferenceTypesSupported: types,
    modelLifecycle: { status },
  };
}

export const foundationModels = [
  model(
    "anthropic.claude-sonnet-9-v1:0",
    "Anthropic",
    ["TEXT", "IMAGE"],
    ["TEXT"],
    ["INFERENCE_PROFILE"],
  ),
  model(
    "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "Anthropic",
    ["TEXT", "IMAGE"],
    ["TEXT"],
    ["ON_DEMAND"],
    "LEGACY",
  ),
  model(
    "amazon.nova-pro-v1:0",
    "Amazon",
    ["TEXT", "IMAGE", "VIDEO"],
    ["TEXT"],
    ["ON_DEMAND", "INFERENCE_PROFILE"],
  ),
  model("amazon.nova-pro-v1:0:24k", "Amazon", ["TEXT", "IMAGE"], ["TEXT"], ["PROVISIONED"]),
  model("mistral.mistral-7b-instruct-v0:2", "Mistral AI", ["TEXT"], ["TEXT"], ["ON_DEMAND"]),
  model("amazon.nova-canvas-v1:0", "Amazon", ["TEXT", "IMAGE"], ["IMAGE"], ["ON_DEMAND"]),
  model("stability.stable-image-core-v1:1", "Stability AI", ["TEXT"], ["IMAGE"], ["ON_DEMAND"]),
  model("somebody.new-painter-v1:0", "Somebody", ["TEXT"], ["IMAGE"], ["ON_DEMAND"]),
  model("amazon.nova-reel-v1:1", "Amazon", ["TEXT", "IMAGE"], ["VIDEO"], ["ON_DEMAND"]),
  model("luma.ray-v2:0", "Luma AI", ["TEXT"], ["VIDEO"], ["ON_DEMAND"]),
  model("amazon.titan-embed-text-v2:0", "Amazon", ["TEXT"], ["EMBEDDING"], ["ON_DEMAND"]),
  model("cohere.embed-english-v3", "Cohere", ["TEXT"], ["EMBEDDING"], ["ON_DEMAND"]),
  model("amazon.rerank-v1:0", "Amazon", ["TEXT"], ["TEXT"], ["ON_DEMAND"]),
  model("amazon.nova-sonic-v1:0", "Amazon", ["SPEECH"], ["SPEECH", "TEXT"], ["ON_DEMAND"]),
];

function profile(
  inferenceProfileId: string,
  base: string,
  type: "SYSTEM_DEFINED" | "APPLICATION",
  name: string,
) {
  return {
    inferenceProfileName: name,
    description: `Routes requests to ${name}.`,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
    inferenceProfileArn: `arn:aws:bedrock:eu-test-1:123456789012:${type === "APPLICATION" ? "application-" : ""}inference-profile/${inferenceProfileId}`,
    models: [{ modelArn: arn(base) }],
    inferenceProfileId,
    status: "ACTIVE",
    type,
  };
}

export const inferenceProfiles = [
  profile(
    "eu.anthropic.claude-sonnet-9-v1:0",
    "anthropic.claude-sonnet-9-v1:0",
    "SYSTEM_DEFINED",
    "EU Anthropic Claude Sonnet 9",
  ),
  profile("eu.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0", "SYSTEM_DEFINED", "EU Nova Pro"),
  profile(
    "abcdef123456",
    "anthropic.claude-sonnet-9-v1:0",
    "APPLICATION",
    "Claude of the marketing team",
  ),
];
