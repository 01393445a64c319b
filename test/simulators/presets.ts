import { refuseUnlessStarted } from "./openai-compatible/llama-started-for.ts";
import type { Check } from "./openai-compatible/strict.ts";
import type { OwnWays, SimulatorOptions } from "./openai-compatible.ts";

type Service = Omit<SimulatorOptions, "port" | "defaults"> & {
  /** The path prefix of the API. */
  base?: string;
};

const isObject: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const hasOnly =
  (...names: string[]): Check =>
  (value) =>
    isObject(value) && Object.keys(value as object).every((name) => names.includes(name));
const chat = (ways: NonNullable<OwnWays["fields"]>[string]): OwnWays => ({
  fields: { "/chat/completions": ways },
});
const limit = "max_tokens";
const newLimit = "max_completion_tokens";
const looseShape: Check = (value) => JSON.stringify(value) === '{"type":"json_object"}';
const row = (id: string, more: object = {}) => ({ id, object: "model", ...more });

/**
 * Each service's differences from the others, according to its own reference: its additional
 * fields, the fields that it refuses, and its models' facts. Names and rows are those of the
 * published examples.
 */
export const services: Readonly<Record<string, Service>> = {
  openrouter: {
    own: {
      ...chat({
        more: {
          usage: hasOnly("include"),
          reasoning: hasOnly("effort", "enabled"),
          provider: hasOnly("order", "allow_fallbacks", "zdr"),
          modalities: (value) => JSON.stringify(value) === '["image","text"]',
        },
        without: [newLimit, "reasoning_effort"],
        needs: ["usage"],
      }),
      headers: { "x-title": "Bottega" },
      questions: { "/v1/key": { data: { label: "sk-or", usage: 0, limit: null } } },
      modelList: "open",
    },
    models: [
      row("sim/chat", {
        name: "Sim: Chat",
        created: 1_790_000_000,
        context_length: 200_000,
        architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
        supported_parameters: ["tools", "reasoning", "seed"],
        pricing: { prompt: "0.000003", completion: "0.000015" },
      }),
      row("sim/pictures", {
        architecture: { input_modalities: ["text", "image"], output_modalities: ["image", "text"] },
      }),
    ],
  },
  mistral: {
    own: chat({
      more: { random_seed: Number.isInteger },
      without: ["stream_options", "seed", newLimit],
    }),
    models: [
      row("sim-chat", {
        max_context_length: 128_000,
        capabilities: { completion_chat: true, function_calling: true, vision: true },
      }),
      row("voxtral-sim", { capabilities: { completion_chat: false, audio_transcription: true } }),
      row("mistral-embed", { capabilities: { completion_chat: false } }),
      row("mistral-ocr-latest", {}),
    ],
  },
  groq: {
    own: chat({ without: [limit] }),
    models: [
      row("sim-chat", { context_window: 131_072, max_completion_tokens: 32_768, active: true }),
      row("whisper-large-v3-turbo"),
      row("playai-tts"),
    ],
  },
  xai: {
    own: {
      fields: {
        "/chat/completions": { without: [limit] },
        "/images/generations": {
          more: { aspect_ratio: (value) => /^(auto|\d+:\d+)$/.test(String(value)) },
          without: ["size", "quality", "style", "background", "output_format"],
        },
      },
    },
    models: [row("sim-chat"), row("grok-2-image")],
  },
  deepseek: {
    own: chat({ more: { response_format: looseShape }, without: [newLimit] }),
    models: [row("sim-chat")],
  },
  together: {
    own: {
      fields: {
        "/chat/completions": { without: [newLimit] },
        "/images/generations": {
          more: {
            width: Number.isInteger,
            height: Number.isInteger,
            steps: Number.isInteger,
            seed: Number.isInteger,
            response_format: (value) => value === "base64",
          },
          without: ["size", "quality", "style", "background"],
        },
      },
    },
    models: [
      row("sim-chat", {
        type: "chat",
        context_length: 131_072,
        pricing: { input: 0.6, output: 1.2, hourly: 0 },
      }),
      row("black-forest-labs/FLUX.1-schnell", { type: "image" }),
    ],
  },
  fireworks: {
    own: chat({ without: [newLimit] }),
    models: [
      row("sim-chat", {
        supports_chat: true,
        supports_image_input: true,
        supports_tools: true,
        context_length: 131_072,
      }),
    ],
  },
  cerebras: { own: chat({ without: [limit] }), models: [row("sim-chat")] },
  perplexity: {
    own: {
      ...chat({ without: [newLimit, "tools", "tool_choice"] }),
      questions: { "/v1/async/chat/completions": { requests: [], next_token: null } },
      modelList: "none",
    },
  },
  litellm: {
    own: {
      ...chat({ without: [newLimit] }),
      answers: { "x-litellm-response-cost": "0.00042" },
      questions: {
        "/model/info": {
          data: [
            {
              model_name: "sim-chat",
              model_info: {
                mode: "chat",
                max_input_tokens: 128_000,
                max_output_tokens: 16_384,
                input_cost_per_token: 0.0000025,
                output_cost_per_token: 0.00001,
                supports_vision: true,
                supports_function_calling: true,
              },
            },
            { model_name: "rank", model_info: { mode: "rerank" } },
          ],
        },
      },
    },
    models: [row("sim-chat"), row("rank"), row("not-told")],
  },
  lmstudio: {
    key: null,
    own: {
      ...chat({ without: [newLimit] }),
      questions: {
        "/api/v0/models": {
          object: "list",
          data: [
            row("sim-chat", {
              type: "vlm",
              publisher: "sim",
              state: "loaded",
              max_context_length: 131_072,
              loaded_context_length: 8_192,
              capabilities: ["tool_use"],
            }),
            row("embed", { type: "embeddings", state: "not-loaded", max_context_length: 2_048 }),
          ],
        },
      },
    },
  },
  llamacpp: {
    key: null,
    own: {
      ...chat({
        more: {
          grammar: (value) => typeof value === "string" && value.includes("::="),
          repeat_penalty: (value) => typeof value === "number",
        },
        without: [newLimit],
      }),
      refuses: refuseUnlessStarted,
      questions: {
        "/props": {
          default_generation_settings: { n_ctx: 32_768 },
          total_slots: 4,
          modalities: { vision: true, audio: false },
          model_path: "sim.gguf",
        },
        "/slots": [
          { id: 0, n_ctx: 8_192, is_processing: false },
          { id: 1, n_ctx: 8_192, is_processing: false },
          { id: 2, n_ctx: 8_192, is_processing: false },
          { id: 3, n_ctx: 8_192, is_processing: false },
        ],
      },
    },
    models: [row("sim-chat", { owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } })],
  },
  vllm: {
    key: null,
    own: chat({ without: [newLimit] }),
    models: [row("sim-chat", { owned_by: "vllm", max_model_len: 16_384 })],
  },
  localai: { key: null, own: chat({ without: [newLimit] }), models: [row("sim-chat")] },
};
