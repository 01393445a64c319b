import type { Adapter } from "./adapter.ts";
import { anthropic } from "./anthropic/adapter.ts";
import { azure } from "./azure/adapter.ts";
import { bedrock } from "./bedrock/adapter.ts";
import { builtin } from "./builtin/adapter.ts";
import { cohere } from "./cohere/adapter.ts";
import { comfyui } from "./comfyui/adapter.ts";
import { deepgram } from "./deepgram/adapter.ts";
import { elevenlabs } from "./elevenlabs/adapter.ts";
import { fal } from "./fal/adapter.ts";
import { google } from "./google/adapter.ts";
import { luma } from "./luma/adapter.ts";
import { ollama } from "./ollama/adapter.ts";
import { openai } from "./openai/adapter.ts";
import { openaiCompatible } from "./openai-compatible/adapter.ts";
import { presetAdapters } from "./presets/index.ts";
import { replicate } from "./replicate/adapter.ts";
import { sagemaker } from "./sagemaker/adapter.ts";
import { vertex } from "./vertex/adapter.ts";

/** Every kind of connection there is. A new one is its folder and a line here. */
export const adapters: readonly Adapter[] = [
  builtin,
  fal,
  openai,
  anthropic,
  google,
  vertex,
  bedrock,
  azure,
  openaiCompatible,
  ...presetAdapters,
  elevenlabs,
  replicate,
  deepgram,
  luma,
  cohere,
  ollama,
  comfyui,
  sagemaker,
];
