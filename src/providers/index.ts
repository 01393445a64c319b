import type { LoadableKind } from "./adapter.ts";
import { anthropicKind } from "./anthropic/kind.ts";
import { azureKind } from "./azure/kind.ts";
import { bedrockKind } from "./bedrock/kind.ts";
import { builtinKind } from "./builtin/kind.ts";
import { cohereKind } from "./cohere/kind.ts";
import { comfyuiKind } from "./comfyui/kind.ts";
import { deepgramKind } from "./deepgram/kind.ts";
import { elevenlabsKind } from "./elevenlabs/kind.ts";
import { falKind } from "./fal/kind.ts";
import { googleKind } from "./google/kind.ts";
import { lumaKind } from "./luma/kind.ts";
import { mcpKind } from "./mcp/kind.ts";
import { ollamaKind } from "./ollama/kind.ts";
import { openaiKind } from "./openai/kind.ts";
import { openaiCompatibleKind } from "./openai-compatible/kind.ts";
import { presetKinds } from "./presets/index.ts";
import { replicateKind } from "./replicate/kind.ts";
import { sagemakerKind } from "./sagemaker/kind.ts";
import { vertexKind } from "./vertex/kind.ts";

/** Every kind of connection there is. A new one is its folder and a line here. */
export const kinds: readonly LoadableKind[] = [
  { ...builtinKind, load: async () => (await import("./builtin/adapter.ts")).builtin },
  { ...falKind, load: async () => (await import("./fal/adapter.ts")).fal },
  { ...openaiKind, load: async () => (await import("./openai/adapter.ts")).openai },
  { ...anthropicKind, load: async () => (await import("./anthropic/adapter.ts")).anthropic },
  { ...googleKind, load: async () => (await import("./google/adapter.ts")).google },
  { ...vertexKind, load: async () => (await import("./vertex/adapter.ts")).vertex },
  { ...bedrockKind, load: async () => (await import("./bedrock/adapter.ts")).bedrock },
  { ...azureKind, load: async () => (await import("./azure/adapter.ts")).azure },
  {
    ...openaiCompatibleKind,
    load: async () => (await import("./openai-compatible/adapter.ts")).openaiCompatible,
  },
  ...presetKinds,
  { ...elevenlabsKind, load: async () => (await import("./elevenlabs/adapter.ts")).elevenlabs },
  { ...replicateKind, load: async () => (await import("./replicate/adapter.ts")).replicate },
  { ...deepgramKind, load: async () => (await import("./deepgram/adapter.ts")).deepgram },
  { ...lumaKind, load: async () => (await import("./luma/adapter.ts")).luma },
  { ...cohereKind, load: async () => (await import("./cohere/adapter.ts")).cohere },
  { ...ollamaKind, load: async () => (await import("./ollama/adapter.ts")).ollama },
  { ...comfyuiKind, load: async () => (await import("./comfyui/adapter.ts")).comfyui },
  { ...sagemakerKind, load: async () => (await import("./sagemaker/adapter.ts")).sagemaker },
  { ...mcpKind, load: async () => (await import("./mcp/adapter.ts")).mcp },
];
