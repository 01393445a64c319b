import { createHash } from "node:crypto";
import { fileField, inOrder, pictureCountField, promptField, textField } from "../wire/forms.ts";
import {
  logprobParameters,
  samplingParameters,
  searchParameters,
} from "../wire/passed-parameters.ts";
import type { Preset } from "./preset.ts";

/**
 * Mistral accepts only ids of nine letters and digits: an id from another service is replaced by
 * its hash.
 */
const shortCallId = (id: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);

/** https://docs.mistral.ai/api: unknown fields are refused. */
export const mistral: Preset = {
  kind: "mistral",
  name: "Mistral",
  summary: "Mistral’s own models, with vision, documents, reasoning and transcripts.",
  api: "https://api.mistral.ai/v1",
  tasks: ["chat", "transcription", "embedding"],
  // It refuses more than 16,384 ("Too many tokens in batch"). Our counts are estimates.
  embedsAtOnce: 12_000,
  keyHint: "From console.mistral.ai, under API keys.",
  environmentKey: "MISTRAL_API_KEY",
  quirks: {
    outputLimitField: "max_tokens",
    seedField: "random_seed",
    takesReasoningIn: "none",
    callId: shortCallId,
    countsUnasked: true,
    documentUrls: true,
    transcriptFields: ["language", "temperature"],
    forms: {
      transcription: inOrder(
        {
          file: { ...fileField("audio/*"), title: "Recording" },
          language: {
            type: "string",
            title: "Language",
            description: "ISO 639-1, such as en or it.",
            pattern: "^[a-z]{2,3}$",
          },
          temperature: { type: "number", title: "Temperature", minimum: 0, maximum: 1 },
        },
        ["file"],
      ),
    },
    models: {
      tasks: { "mistral-embed": "embedding", "codestral-embed": "embedding" },
      leftOut: /^mistral-(ocr|moderation)/,
    },
  },
};

/** https://console.groq.com/docs/models */
export const groq: Preset = {
  kind: "groq",
  name: "Groq",
  summary: "Fast open models, speech and transcripts.",
  api: "https://api.groq.com/openai/v1",
  tasks: ["chat", "speech", "transcription"],
  keyHint: "From console.groq.com, under API Keys.",
  environmentKey: "GROQ_API_KEY",
  passes: ["parallel_tool_calls"],
  quirks: {
    takesReasoningIn: "reasoning",
    outputLimitField: "max_completion_tokens",
    models: {
      tasks: {
        "whisper-large-v3": "transcription",
        "whisper-large-v3-turbo": "transcription",
        "distil-whisper-large-v3-en": "transcription",
        "playai-tts": "speech",
        "playai-tts-arabic": "speech",
        "canopylabs/orpheus-v1-english": "speech",
        "canopylabs/orpheus-arabic-saudi": "speech",
      },
    },
    forms: {
      speech: inOrder(
        {
          input: textField,
          voice: {
            type: "string",
            title: "Voice",
            description: "One of the model’s voices.",
            examples: ["autumn", "diana", "hannah", "austin", "daniel", "troy"],
          },
          response_format: { type: "string", title: "File format", enum: ["wav"], default: "wav" },
        },
        ["input", "voice", "response_format"],
      ),
    },
  },
};

/** https://docs.x.ai/docs/api-reference */
export const xai: Preset = {
  kind: "xai",
  name: "xAI",
  summary: "Grok with reasoning and vision, and pictures.",
  api: "https://api.x.ai/v1",
  tasks: ["chat", "image"],
  keyHint: "From console.x.ai, under API Keys.",
  environmentKey: "XAI_API_KEY",
  passes: ["parallel_tool_calls"],
  quirks: {
    outputLimitField: "max_completion_tokens",
    models: {
      tasks: {
        "grok-2-image": "image",
        "grok-2-image-1212": "image",
        "grok-imagine-image": "image",
        "grok-imagine-image-quality": "image",
        "grok-imagine-image-pro": "image",
      },
      leftOut: /^grok-imagine-video/,
    },
    forms: {
      image: inOrder(
        {
          prompt: promptField,
          n: pictureCountField(10),
          aspect_ratio: {
            type: "string",
            title: "Aspect ratio",
            enum: ["auto", "1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2", "1:2", "2:1"],
          },
        },
        ["prompt"],
      ),
    },
    pictureFields: ({ n, aspect_ratio: ratio }) => ({
      // Its URLs expire soon.
      response_format: "b64_json",
      ...(typeof n === "number" && { n }),
      ...(typeof ratio === "string" && ratio && { aspect_ratio: ratio }),
    }),
  },
};

/** https://api-docs.deepseek.com */
export const deepseek: Preset = {
  kind: "deepseek",
  name: "DeepSeek",
  summary: "DeepSeek’s own models, with reasoning.",
  api: "https://api.deepseek.com",
  tasks: ["chat"],
  keyHint: "From platform.deepseek.com, under API keys.",
  environmentKey: "DEEPSEEK_API_KEY",
  passes: ["frequency_penalty", "presence_penalty", "thinking", ...logprobParameters],
  quirks: { outputLimitField: "max_tokens", shapesLoosely: true },
};

/** https://docs.together.ai/reference */
export const together: Preset = {
  kind: "together",
  name: "Together",
  summary: "Open models for chat, pictures and embeddings.",
  api: "https://api.together.xyz/v1",
  tasks: ["chat", "image", "embedding"],
  keyHint: "From api.together.ai, under Settings, API Keys.",
  environmentKey: "TOGETHER_API_KEY",
  passes: samplingParameters,
  quirks: {
    outputLimitField: "max_tokens",
    models: { leftOut: /^(togethercomputer\/m2-bert.*-rerank|salesforce\/llama-rank)/i },
    forms: {
      image: inOrder(
        {
          prompt: promptField,
          size: {
            type: "string",
            title: "Size",
            description: "Width x height in pixels.",
            default: "1024x1024",
            pattern: "^\\d+x\\d+$",
          },
          steps: { type: "integer", title: "Steps", minimum: 1, maximum: 50 },
          seed: { type: "integer", title: "Seed" },
          n: pictureCountField(4),
        },
        ["prompt"],
      ),
    },
    pictureFields: ({ size, steps, seed, n }) => {
      const [width, height] = typeof size === "string" ? size.split("x").map(Number) : [];
      const whole = Object.entries({ width, height, steps, seed, n }).flatMap(([name, value]) =>
        Number.isInteger(value) ? [[name, value]] : [],
      );
      return {
        response_format: "base64",
        ...(Object.fromEntries(whole) as Record<string, number>),
      };
    },
  },
};

/** https://docs.fireworks.ai/api-reference */
export const fireworks: Preset = {
  kind: "fireworks",
  name: "Fireworks",
  summary: "Open models for chat and embeddings.",
  api: "https://api.fireworks.ai/inference/v1",
  tasks: ["chat", "embedding"],
  keyHint: "From app.fireworks.ai, under API Keys.",
  environmentKey: "FIREWORKS_API_KEY",
  passes: [...samplingParameters, ...logprobParameters],
  quirks: { outputLimitField: "max_tokens" },
};

/** https://inference-docs.cerebras.ai/api-reference */
export const cerebras: Preset = {
  kind: "cerebras",
  name: "Cerebras",
  summary: "Fast open models.",
  api: "https://api.cerebras.ai/v1",
  tasks: ["chat"],
  keyHint: "From cloud.cerebras.ai, under API Keys.",
  environmentKey: "CEREBRAS_API_KEY",
  passes: ["parallel_tool_calls", ...logprobParameters],
  quirks: { outputLimitField: "max_completion_tokens", takesReasoningIn: "reasoning" },
};

/**
 * https://docs.perplexity.ai/api-reference: it lists no models; these are from its documentation,
 * 2026-11.
 */
export const perplexity: Preset = {
  kind: "perplexity",
  name: "Perplexity",
  summary: "Answers from the web with sources.",
  api: "https://api.perplexity.ai",
  tasks: ["chat"],
  keyHint: "From perplexity.ai, under Settings, API.",
  environmentKey: "PERPLEXITY_API_KEY",
  // Lists background answers: a free call that verifies the key.
  checkPath: "/async/chat/completions",
  passes: ["frequency_penalty", "presence_penalty", "top_k", ...searchParameters],
  quirks: {
    outputLimitField: "max_tokens",
    models: {
      rows: async () =>
        Object.entries({
          sonar: 128_000,
          "sonar-pro": 200_000,
          "sonar-reasoning-pro": 128_000,
          "sonar-deep-research": 128_000,
        }).map(([id, context_length]) => ({
          id,
          context_length,
          capabilities: { function_calling: false },
        })),
    },
  },
};
