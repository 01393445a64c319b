import { expect, it } from "vitest";
import { guessTask } from "./guess-task.ts";
import type { OfferedTask } from "./offered-tasks.ts";

type Guesses = Partial<Record<OfferedTask | "none", string>>;

/** Ids that the services publish (on their model pages, November 2026), separated by spaces. */
const published: Record<string, Guesses> = {
  OpenAI: {
    chat: "gpt-6-astra gpt-5.6-sol gpt-5.6 gpt-5.5-pro gpt-5.4-nano gpt-5.3-codex gpt-5-chat-latest gpt-4.1-mini gpt-4o gpt-4-vision gpt-3.5-turbo o3-pro o4-mini gpt-oss-120b gpt-4o-search-preview o3-deep-research chatgpt-4o-latest",
    embedding: "text-embedding-3-small text-embedding-3-large text-embedding-ada-002",
    image: "gpt-image-2 gpt-image-1.5 gpt-image-1-mini gpt-image-9 chatgpt-image-latest dall-e-3",
    speech: "tts-1 tts-1-hd tts-1-1106 gpt-4o-mini-tts gpt-4o-mini-tts-2025-12-15",
    transcription:
      "whisper-1 gpt-transcribe gpt-4o-transcribe gpt-4o-mini-transcribe gpt-4o-transcribe-diarize",
    none: "gpt-realtime gpt-realtime-2.1-mini gpt-4o-realtime-preview gpt-realtime-whisper gpt-live-1 gpt-live-transcribe gpt-audio gpt-audio-1.5 gpt-4o-audio-preview gpt-4o-mini-audio-preview omni-moderation-latest text-moderation-stable davinci-002 babbage-002 gpt-3.5-turbo-instruct gpt-3.5-turbo-instruct-0914 sora-2 sora-2-pro computer-use-preview gpt-oss-safeguard-20b",
  },
  Anthropic: {
    chat: "claude-opus-5 claude-sonnet-4-5-20250929 claude-haiku-4-5 claude-3-5-haiku-20241022 claude-fable-5",
  },
  Google: {
    chat: "gemini-4-argon gemini-3.8-flash gemini-3.5-flash-lite gemini-3.1-pro-preview gemini-2.5-pro models/gemini-2.5-flash gemma-4-31b-it gemma-3n-e4b-it",
    embedding: "gemini-embedding-001 gemini-embedding-2 text-embedding-005 embeddinggemma-300m",
    image:
      "gemini-3-pro-image gemini-3.1-flash-image-preview gemini-3.1-flash-lite-image gemini-2.5-flash-image imagen-4.0-ultra-generate-001 nano-banana-pro-preview gemini-nano-banana-2.1",
    speech: "gemini-3.8-flash-tts gemini-3.8-flash-lite-tts gemini-2.5-pro-preview-tts",
    transcription: "gemini-3.5-transcribe",
    none: "gemini-3.8-live gemini-3.8-live-extended-thinking gemini-3.5-live-translate-preview gemini-live-2.5-flash gemini-2.5-flash-native-audio-preview-12-2025 gemini-2.5-computer-use-preview-10-2025 gemini-robotics-er-1.6-preview veo-3.1-generate-preview lyria-3-pro-preview lyria-realtime-exp shieldgemma-9b",
  },
  OpenRouter: {
    chat: "openrouter/auto anthropic/claude-opus-5 openai/gpt-5.5 google/gemini-3.5-flash x-ai/grok-4.3 deepseek/deepseek-v4-pro qwen/qwen3.6-plus moonshotai/kimi-k3 z-ai/glm-5.2 minimax/minimax-m3 cohere/command-a meta-llama/llama-3.3-70b-instruct:free mistralai/mistral-large-2512 amazon/nova-premier-v1 liquid/lfm-2-24b baidu/ernie-4.5-vl-424b-a47b bytedance/ui-tars-1.5-7b",
    embedding: "openai/text-embedding-3-small qwen/qwen3-embedding-8b thenlper/gte-large",
    image: "black-forest-labs/flux.2-pro google/gemini-2.5-flash-image bytedance-seed/seedream-4.5",
    none: "meta-llama/llama-guard-4-12b openai/gpt-audio-mini google/lyria-3-clip-preview openai/gpt-oss-safeguard-20b",
  },
  Mistral: {
    chat: "mistral-large-latest mistral-medium-3-5 mistral-small-2603 magistral-medium-2509 ministral-14b-2512 codestral-latest devstral-2512 pixtral-large-latest open-mistral-nemo voxtral-small-24b-2507 zai-glm-5-3-flash deepseek-v4-1-flash-1017",
    embedding: "mistral-embed mistral-embed-2312 codestral-embed codestral-embed-2505",
    speech: "voxtral-mini-tts-2603 voxtral-tts-latest",
    transcription: "voxtral-mini-2602 voxtral-mini-2507 voxtral-mini-transcribe-2507",
    none: "mistral-ocr-latest mistral-ocr-2512 mistral-moderation-latest mistral-moderation-2603 voxtral-mini-transcribe-realtime-2602 shieldstral-1-0",
  },
  Groq: {
    chat: "llama-3.3-70b-versatile llama-3.1-8b-instant groq/compound groq/compound-mini openai/gpt-oss-120b qwen/qwen3-32b moonshotai/kimi-k2-instruct-0905 allam-2-7b meta-llama/llama-4-scout-17b-16e-instruct",
    speech:
      "playai-tts playai-tts-arabic canopylabs/orpheus-v1-english canopylabs/orpheus-arabic-saudi",
    transcription: "whisper-large-v3 whisper-large-v3-turbo distil-whisper-large-v3-en",
    none: "meta-llama/llama-guard-4-12b llama-guard-3-8b meta-llama/llama-prompt-guard-2-86m openai/gpt-oss-safeguard-20b",
  },
  Together: {
    chat: "moonshotai/Kimi-K2.5 zai-org/GLM-5.1 deepseek-ai/DeepSeek-R1 Qwen/Qwen3-235B-A22B-Instruct-2507-tput meta-llama/Llama-3.3-70B-Instruct-Turbo google/gemma-4-31B-it arcee-ai/virtuoso-large Qwen/Qwen2.5-VL-72B-Instruct",
    embedding:
      "BAAI/bge-large-en-v1.5 BAAI/bge-m3 intfloat/multilingual-e5-large-instruct togethercomputer/m2-bert-80M-32k-retrieval Alibaba-NLP/gte-modernbert-base WhereIsAI/UAE-Large-V1",
    image:
      "black-forest-labs/FLUX.1-schnell black-forest-labs/FLUX.1-kontext-pro stabilityai/stable-diffusion-3-medium google/imagen-4.0-preview Qwen/Qwen-Image ByteDance-Seed/Seedream-4.0 ideogram/ideogram-3.0 HiDream-ai/HiDream-I1-Full Lykon/DreamShaper RunDiffusion/Juggernaut-pro-flux",
    speech: "cartesia/sonic cartesia/sonic-2 canopylabs/orpheus-3b-0.1-ft hexgrad/Kokoro-82M",
    transcription: "openai/whisper-large-v3 nvidia/parakeet-tdt-0.6b-v3",
    none: "Salesforce/Llama-Rank-V1 mixedbread-ai/Mxbai-Rerank-Large-V2 meta-llama/Llama-Guard-4-12B VirtueAI/VirtueGuard-Text-Lite togethercomputer/GPT-JT-Moderation-6B minimax/video-01-director google/veo-3.0 kwaivgI/kling-2.1-master ByteDance/Seedance-1.0-pro pixverse/pixverse-v5 Wan-AI/Wan2.2-T2V-A14B minimax/hailuo-02 vidu/vidu-2.0",
  },
  DeepSeek: { chat: "deepseek-chat deepseek-reasoner deepseek-v4-pro deepseek-v4-flash" },
  xAI: {
    chat: "grok-4.5 grok-4.3 grok-4-0709 grok-4-1-fast-reasoning grok-code-fast-1 grok-2-vision-1212 grok-build-0.1 grok-4.20-multi-agent",
    image: "grok-imagine-image grok-imagine-image-pro grok-2-image-1212",
    none: "grok-imagine-video grok-imagine-video-1.5-preview grok-voice-agent",
  },
  Fireworks: {
    chat: "accounts/fireworks/models/deepseek-v4-pro accounts/fireworks/models/kimi-k2p6 accounts/fireworks/models/glm-5p1 accounts/fireworks/models/qwen2p5-vl-72b-instruct accounts/fireworks/models/llama-v3p1-8b-instruct accounts/fireworks/models/minimax-m3",
    embedding:
      "accounts/fireworks/models/qwen3-embedding-8b nomic-ai/nomic-embed-text-v1.5 mixedbread-ai/mxbai-embed-large-v1 sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    image:
      "accounts/fireworks/models/flux-1-schnell-fp8 accounts/fireworks/models/playground-v2-5-1024px-aesthetic accounts/fireworks/models/SSD-1B-sdxl",
    transcription: "accounts/fireworks/models/whisper-v3-turbo",
    none: "accounts/fireworks/models/qwen3-reranker-8b accounts/fireworks/models/llama-guard-3-8b",
  },
  Ollama: {
    chat: "llama3.3:70b qwen3:8b gemma3:27b-it-qat gpt-oss:20b deepseek-r1:14b mistral-small3.2 llava:13b phi4-mini granite4:tiny-h starcoder2 smollm2",
    embedding:
      "nomic-embed-text:latest mxbai-embed-large all-minilm:33m bge-m3 snowflake-arctic-embed2 embeddinggemma paraphrase-multilingual",
    none: "llama-guard3:8b shieldgemma:2b granite3-guardian:8b deepseek-ocr",
  },
  "LM Studio": {
    chat: "qwen/qwen3-30b-a3b-2507 google/gemma-3-12b openai/gpt-oss-20b mistralai/magistral-small",
    embedding: "text-embedding-nomic-embed-text-v1.5 text-embedding-qwen3-embedding-0.6b",
    none: "qwen3-reranker-0.6b allenai/olmocr-2-7b",
  },
  "llama.cpp": {
    chat: "/models/unsloth/Qwen3-8B-Q4_K_M.gguf C:\\llm\\GLM-4.6-00001-of-00003.gguf gpt-oss-20b-mxfp4.gguf",
    embedding: "/models/nomic-embed-text-v1.5.Q4_K_M.gguf bge-small-en-v1.5-q8_0.gguf",
    none: "/models/bge-reranker-v2-m3-Q8_0.gguf Llama-Guard-3-8B.Q6_K.gguf",
  },
};

const rows = Object.entries(published).flatMap(([service, guesses]) =>
  Object.entries(guesses).map(([task, ids]) => [service, task, ids.split(" ")] as const),
);

it.each(rows)("%s: %s is the task of %j", (_, task, ids) => {
  const guessed = ids.map((id) => [id, guessTask(id) ?? "chat"]);
  expect(guessed).toEqual(ids.map((id) => [id, task]));
});

it.each([
  ["sentence-transformers/all-mpnet-base-v2", "embedding"],
  ["voyage-3.5", "embedding"],
  ["wan_2.2", "none"],
  ["sd3.5", "image"],
] as const)("an ID with underscores or dots is read like one with hyphens: %s", (id, task) => {
  expect(guessTask(id)).toBe(task);
});

it("part of a longer word doesn't count", () => {
  const ids = [
    "influxer",
    "sim-chat",
    "oliver-7b",
    "vanguardia-chat",
    "bodysonic-writer",
    "democracy-7b",
  ];
  expect(ids.map(guessTask)).toEqual(ids.map(() => undefined));
});
