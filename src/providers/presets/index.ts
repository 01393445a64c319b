import type { LoadableKind } from "../adapter.ts";
import {
  cerebras,
  deepseek,
  fireworks,
  groq,
  mistral,
  perplexity,
  together,
  xai,
} from "./hosted.ts";
import { llamacpp } from "./llamacpp.ts";
import { lmstudio } from "./lmstudio.ts";
import { litellm, localai, vllm } from "./local.ts";
import { openrouter } from "./openrouter.ts";
import { type Preset, toKind } from "./preset.ts";

/** Services that a person connects by name. A new one is a record and a line here. */
export const presets: readonly Preset[] = [
  openrouter,
  mistral,
  groq,
  xai,
  deepseek,
  together,
  fireworks,
  cerebras,
  perplexity,
  litellm,
  lmstudio,
  llamacpp,
  vllm,
  localai,
];

export const presetKinds: readonly LoadableKind[] = presets.map((preset) => ({
  ...toKind(preset),
  load: async () => (await import("./adapter.ts")).toAdapter(preset),
}));
