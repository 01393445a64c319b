import type { OfferedTask } from "./offered-tasks.ts";

/** Models that judge or classify a text: their answer is a verdict at any endpoint. */
const judges =
  /moderation|\bguard(ian)?\b|[a-z\d]guard\b|\bguard-?\d|shieldgemma|shieldstral|safeguard|nsfw|\b(prm|reward)\b|classifier|content-safety|topic-control/;

/**
 * The tasks that common names and families imply, for servers that don't state them. The first
 * match wins, so special names come before general ones: "bge-reranker" ranks, though "bge" embeds.
 * "none": the API has no endpoint for it here.
 */
const families: readonly (readonly [OfferedTask | "none", RegExp])[] = [
  ["none", judges],
  ["none", /re-?rank|\bllama-rank|pair-?rm/],
  [
    "none",
    /\brealtime\b|\b(gpt|gemini)(-[\w.-]+)?-live\b|native-audio|speech-to-speech|\bs2s\b|\bvoice-agent/,
  ],
  ["none", /\bgpt-(4o-(mini-)?)?audio\b|\blfm2-audio\b|\bgrok-voice\b/],
  ["none", /\b(davinci|babbage)-00\d|-instruct-0914|gpt-3\.5-turbo-instruct/],
  ["none", /\bocr|ocr(\d|\b)|\bmineru|\bdocling\b|computer-use|robotics-er/],
  [
    "none",
    /\b(sora|veo|kling|hunyuan-?video|ltx-?(video|\d)|mochi|cogvideox?|wan-?(ai|2[.\d]*)|lyria|musicgen|stable-audio|vidu|pixverse|seedance|hailuo)\b|(text|image)-to-video|\bvideo-(gen|0\d)|\bimagine-video/,
  ],
  [
    "embedding",
    /embed|\b(bge|gte|e5|gtr|jina-clip|colbert|mxbai|m2-bert|uae-large|paraphrase)-|\b(all-)?(minilm|mpnet)\b|sentence-transformers|\bvoyage-/,
  ],
  [
    "transcription",
    /whisper|transcri|\b(asr|stt)\b|parakeet|\bcanary-|wav2vec|sensevoice|\bvoxtral-mini-(2507|26\d\d)/,
  ],
  [
    "speech",
    /\btts\b|\btts-?\d|text-to-speech|kokoro|orpheus|\bxtts|\bbark\b|\bpiper\b|parler|chatterbox|cosyvoice|\bsonic-?\d?$|\bcsm-1b|\bspeech-\d|vibevoice/,
  ],
  [
    "image",
    /\b(gpt|chatgpt)-image|dall-?e|\bflux\b|stable-?(diffusion|image)|\bsd(xl|3(\.5)?)\b|\bimagen\b|seedream|recraft|ideogram|kandinsky|hidream|nano-banana|dreamshaper|juggernaut/,
  ],
  [
    "image",
    /\b(qwen|z|grok-\d|hunyuan|glm|gemini[\w.-]*)-image\b|\bgrok-imagine|cogview|playground-v\d|pixart|text-to-image|stability-ai|stabilityai\//,
  ],
];

/**
 * Returns the task that a model's id implies; undefined if it implies none, which means a chat
 * model.
 */
export function guessTask(id: string): OfferedTask | "none" | undefined {
  // \b treats an underscore as a letter, but ids use it as a separator like a hyphen.
  const words = id.toLowerCase().replaceAll("_", "-");
  return families.find(([, names]) => names.test(words))?.[0];
}

/**
 * Whether a model judges texts: a server correctly describes it as "text in, text out", but it
 * can't chat.
 */
export const isJudge = (id: string): boolean => judges.test(id.toLowerCase().replaceAll("_", "-"));
