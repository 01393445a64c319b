import type { LoadableKind } from "./adapter.ts";
import { builtinKind } from "./builtin/kind.ts";
import { presetKinds } from "./presets/index.ts";
import { anthropicKind } from "./services/anthropic/kind.ts";
import { azureKind } from "./services/azure/kind.ts";
import { bedrockKind } from "./services/bedrock/kind.ts";
import { cohereKind } from "./services/cohere/kind.ts";
import { comfyuiKind } from "./services/comfyui/kind.ts";
import { deepgramKind } from "./services/deepgram/kind.ts";
import { elevenlabsKind } from "./services/elevenlabs/kind.ts";
import { falKind } from "./services/fal/kind.ts";
import { googleKind } from "./services/google/kind.ts";
import { lumaKind } from "./services/luma/kind.ts";
import { mcpKind } from "./services/mcp/kind.ts";
import { ollamaKind } from "./services/ollama/kind.ts";
import { openaiKind } from "./services/openai/kind.ts";
import { openaiCompatibleKind } from "./services/openai-compatible/kind.ts";
import { replicateKind } from "./services/replicate/kind.ts";
import { sagemakerKind } from "./services/sagemaker/kind.ts";
import { vertexKind } from "./services/vertex/kind.ts";

/** Every kind of connection. A new one is its folder and a line here. */
export const kinds: readonly LoadableKind[] = [
  { ...builtinKind, load: async () => (await import("./builtin/adapter.ts")).builtin },
  { ...falKind, load: async () => (await import("./services/fal/adapter.ts")).fal },
  { ...openaiKind, load: async () => (await import("./services/openai/adapter.ts")).openai },
  {
    ...anthropicKind,
    load: async () => (await import("./services/anthropic/adapter.ts")).anthropic,
  },
  { ...googleKind, load: async () => (await import("./services/google/adapter.ts")).google },
  { ...vertexKind, load: async () => (await import("./services/vertex/adapter.ts")).vertex },
  { ...bedrockKind, load: async () => (await import("./services/bedrock/adapter.ts")).bedrock },
  { ...azureKind, load: async () => (await import("./services/azure/adapter.ts")).azure },
  {
    ...openaiCompatibleKind,
    load: async () => (await import("./services/openai-compatible/adapter.ts")).openaiCompatible,
  },
  ...presetKinds,
  {
    ...elevenlabsKind,
    load: async () => (await import("./services/elevenlabs/adapter.ts")).elevenlabs,
  },
  {
    ...replicateKind,
    load: async () => (await import("./services/replicate/adapter.ts")).replicate,
  },
  { ...deepgramKind, load: async () => (await import("./services/deepgram/adapter.ts")).deepgram },
  { ...lumaKind, load: async () => (await import("./services/luma/adapter.ts")).luma },
  { ...cohereKind, load: async () => (await import("./services/cohere/adapter.ts")).cohere },
  { ...ollamaKind, load: async () => (await import("./services/ollama/adapter.ts")).ollama },
  { ...comfyuiKind, load: async () => (await import("./services/comfyui/adapter.ts")).comfyui },
  {
    ...sagemakerKind,
    load: async () => (await import("./services/sagemaker/adapter.ts")).sagemaker,
  },
  { ...mcpKind, load: async () => (await import("./services/mcp/adapter.ts")).mcp },
];
