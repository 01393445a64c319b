import type { CallContext, RunRequest } from "../adapter.ts";
import { logprobParameters, samplingParameters } from "../wire/passed-parameters.ts";
import type { Preset } from "./preset.ts";

/** https://openrouter.ai/docs/api-reference */
export const openrouter: Preset = {
  kind: "openrouter",
  name: "OpenRouter",
  summary: "Hundreds of models from many providers, each with its price.",
  api: "https://openrouter.ai/api/v1",
  tasks: ["chat", "embedding"],
  keyHint: "From openrouter.ai, under Keys.",
  environmentKey: "OPENROUTER_API_KEY",
  fields: [
    {
      name: "providerOrder",
      label: "Providers, in order",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "anthropic, google-vertex",
      hint: "Providers to try first, by OpenRouter’s names, separated by commas.",
    },
    {
      name: "fallbacks",
      label: "Other providers",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["allowed", "not allowed"],
      hint: "Whether other providers may answer.",
    },
    {
      name: "zeroRetention",
      label: "Zero data retention",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["not asked for", "required"],
      hint: "required: only providers that don’t store prompts.",
    },
  ],
  headers: { "x-title": "Bottega" },
  // The list of models needs no key.
  checkPath: "/key",
  // `models` and `provider` are not, because other models and providers have other prices.
  passes: [...samplingParameters, ...logprobParameters, "top_a", "verbosity", "reasoning"],
  quirks: {
    outputLimitField: "max_tokens",
    reasoning: (effort) => ({ reasoning: effort === "none" ? { enabled: false } : { effort } }),
    chatFields: routed,
    models: { datesReleases: true },
  },
};

function routed({ model }: RunRequest, { connection: { options } }: CallContext) {
  const order =
    typeof options.providerOrder === "string"
      ? options.providerOrder.split(",").map((name) => name.trim())
      : [];
  const named = order.filter((name) => name !== "");
  const provider = {
    ...(named.length > 0 && { order: named }),
    ...(options.fallbacks === "not allowed" && { allow_fallbacks: false }),
    ...(options.zeroRetention === "required" && { zdr: true }),
  };
  return {
    usage: { include: true },
    ...(Object.keys(provider).length > 0 && { provider }),
    ...(model.capabilities.imageOutput && { modalities: ["image", "text"] }),
  };
}
