import type { Task } from "#contract/tasks.ts";
import { known as geminiKnown, type SnapshotModel } from "../google/snapshot.ts";

/**
 * The models that are used by name, without a deployment. From
 * docs.cloud.google.com/vertex-ai/generative-ai/docs/models, …/partner-models/claude and
 * …/maas/use-open-models. Their abilities come from the Gemini API's snapshot of the same names.
 * Read on 2026-11-21.
 */
export type VertexModel = {
  id: string;
  task: Task;
  known: SnapshotModel;
  reasons: boolean;
  isImagen?: boolean;
  takesSeed?: boolean;
};

const chats = [
  "gemini-4-argon",
  "gemini-4-carbon",
  "gemini-4-hydrogen",
  "gemini-3.8-flash",
  "gemini-3.7-flash",
  "gemini-3.6-flash",
  "gemini-3.5-flash",
  "gemini-3.5-flash-lite",
  "gemini-3.1-pro-preview",
  "gemini-3.1-flash-lite-preview",
  "gemini-3-flash-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
];
const pictures = [
  "gemini-3-pro-image-preview",
  "gemini-3.1-flash-image-preview",
  "gemini-2.5-flash-image",
];
const imagen = [
  "imagen-4.0-generate-001",
  "imagen-4.0-fast-generate-001",
  "imagen-4.0-ultra-generate-001",
];
const films = [
  "veo-3.1-generate-001",
  "veo-3.1-fast-generate-001",
  "veo-3.0-generate-001",
  "veo-3.0-fast-generate-001",
  "veo-2.0-generate-001",
];
const speech = [
  "gemini-3.8-flash-tts",
  "gemini-3.1-flash-tts-preview",
  "gemini-2.5-flash-tts",
  "gemini-2.5-pro-tts",
];
const embeddings = [
  "gemini-embedding-001",
  "gemini-embedding-2",
  "text-embedding-005",
  "text-multilingual-embedding-002",
];

const of = (ids: readonly string[], task: Task, more: Partial<VertexModel> = {}): VertexModel[] =>
  ids.map((id) => ({ id, task, known: geminiKnown[id] ?? {}, reasons: false, ...more }));

export const googleModels: readonly VertexModel[] = [
  ...of(chats, "chat", { reasons: true }),
  ...of(pictures, "image"),
  ...of(imagen, "image", { isImagen: true }),
  ...of(films, "video", { takesSeed: true }),
  ...of(speech, "speech"),
  ...of(embeddings, "embedding"),
];

/** Claude models, by Google's own names. */
export const claudeModels: readonly string[] = [
  "claude-fable-5-2",
  "claude-fable-5-1",
  "claude-opus-5-5",
  "claude-opus-5",
  "claude-opus-4-8",
  "claude-opus-4-7",
  "claude-opus-4-6",
  "claude-opus-4-5@20251101",
  "claude-sonnet-5-5",
  "claude-sonnet-5",
  "claude-sonnet-4-6",
  "claude-sonnet-4-5@20250929",
  "claude-haiku-5-5",
];

/** Open models behind the OpenAI-compatible endpoint. */
export const openModels: readonly string[] = [
  "deepseek-ai/deepseek-v3.2-maas",
  "deepseek-ai/deepseek-v3.1-maas",
  "deepseek-ai/deepseek-r1-0528-maas",
  "openai/gpt-oss-120b-maas",
  "openai/gpt-oss-20b-maas",
  "meta/llama-4-maverick-17b-128e-instruct-maas",
  "meta/llama-4-scout-17b-16e-instruct-maas",
  "qwen/qwen3-coder-480b-a35b-instruct-maas",
  "qwen/qwen3-next-80b-a3b-instruct-maas",
  "qwen/qwen3-next-80b-a3b-thinking-maas",
  "moonshotai/kimi-k2-thinking-maas",
];
