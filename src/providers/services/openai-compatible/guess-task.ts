import type { OfferedTask } from "./offered-tasks.ts";

/**
 * What the names and families in use say of a model, where its server says nothing. First match wins, so what is special comes
 * before what is general: "bge-reranker" ranks, though "bge" embeds. "none": the API has no endpoint for it here.
 */
const families: readonly (readonly [OfferedTask | "none", RegExp])[] = [
  ["none", /re-?rank|\bllama-rank|moderation|\brealtime\b/],
  ["none", /\b(davinci|babbage)-00\d|-instruct-0914|gpt-3\.5-turbo-instruct/],
  [
    "none",
    /\b(sora|veo|kling|hunyuan-?video|ltx-?video|mochi|cogvideox?|wan-?2|lyria|musicgen)\b|text-to-video|\bvideo-gen/,
  ],
  [
    "embedding",
    /embed|\b(bge|gte|e5|gtr|jina-clip|colbert|mxbai|m2-bert|uae-large)-|\b(all-)?(minilm|mpnet)\b|sentence-transformers|\bvoyage-/,
  ],
  ["transcription", /whisper|transcri|\b(asr|stt)\b|parakeet|\bcanary-|wav2vec|sensevoice/],
  [
    "speech",
    /\btts\b|\btts-?\d|text-to-speech|kokoro|orpheus|\bxtts|\bbark\b|\bpiper\b|parler|chatterbox|cosyvoice/,
  ],
  [
    "image",
    /\b(gpt|chatgpt)-image|dall-?e|\bflux\b|stable-?diffusion|\bsd(xl|3(\.5)?)\b|\bimagen\b|seedream|recraft|ideogram|kandinsky|hidream/,
  ],
  [
    "image",
    /\b(qwen|z|grok-\d|hunyuan|gemini[\w.-]*)-image\b|\bgrok-imagine|cogview|playground-v\d|pixart/,
  ],
];

/** The task that a model's id tells; undefined where it tells nothing, which is a chat model. */
export function guessTask(id: string): OfferedTask | "none" | undefined {
  // An underscore is a letter to \b, and ids part their words by it as by a hyphen.
  const words = id.toLowerCase().replaceAll("_", "-");
  return families.find(([, names]) => names.test(words))?.[0];
}
