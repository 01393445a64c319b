import { expect, it } from "vitest";
import { guessTask } from "./guess-task.ts";

it.each([
  [
    "embedding",
    [
      "text-embedding-3-large",
      "nomic-embed-text-v1.5",
      "BAAI/bge-m3",
      "intfloat/e5-mistral-7b-instruct",
      "mxbai-embed-large",
    ],
  ],
  [
    "embedding",
    [
      "/models/nomic-embed-text-v1.5.Q4_K_M.gguf",
      "sentence-transformers/all-MiniLM-L6-v2",
      "voyage-3.5",
    ],
  ],
  [
    "image",
    [
      "gpt-image-1",
      "gpt-image-9",
      "dall-e-3",
      "black-forest-labs/FLUX.1-schnell",
      "stabilityai/stable-diffusion-xl-base-1.0",
    ],
  ],
  [
    "image",
    [
      "sd3.5",
      "imagen-4.0-generate-001",
      "Qwen/Qwen-Image",
      "gemini-2.5-flash-image",
      "grok-2-image-1212",
    ],
  ],
  [
    "speech",
    [
      "tts-1",
      "tts-1-hd",
      "gpt-4o-mini-tts",
      "hexgrad/Kokoro-82M",
      "playai-tts",
      "canopylabs/orpheus-3b",
    ],
  ],
  [
    "transcription",
    ["whisper-1", "whisper-large-v3-turbo", "gpt-4o-transcribe", "nvidia/parakeet-tdt-0.6b-v2"],
  ],
  [
    "none",
    [
      "BAAI/bge-reranker-v2-m3",
      "rerank-v3.5",
      "omni-moderation-latest",
      "gpt-realtime",
      "davinci-002",
      "sora-2",
      "wan_2.2",
    ],
  ],
] as const)("%s: %j", (task, ids) => {
  expect(ids.map(guessTask)).toEqual(ids.map(() => task));
});

it("a name that tells nothing, or only what a chat model reads, is left to be a chat model", () => {
  const ids = [
    "gpt-5.1",
    "gpt-4o-audio-preview",
    "gpt-4-vision",
    "llama-3.3-70b-instruct",
    "Qwen2.5-VL-7B",
    "mistral-small",
    "influxer",
    "sim-chat",
  ];
  expect(ids.map(guessTask)).toEqual(ids.map(() => undefined));
});
