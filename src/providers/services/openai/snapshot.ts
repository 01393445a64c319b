import type { OfferedTask } from "../openai-compatible/offered-tasks.ts";

/**
 * Facts missing from GET /models. From developers.openai.com/api/docs/models and /pricing, and the
 * price list of genai-prices 0.1.8.
 */
export const asOf = Date.UTC(2026, 10, 21);
export const source = "OpenAI's model pages and price list";

export type SnapshotModel = {
  task: OfferedTask | "video";
  contextTokens?: number;
  outputTokens?: number;
  reasoning?: boolean;
  /**
   * Doesn't support the effort "none" (platform.openai.com/docs/api-reference/responses/create,
   * `reasoning.effort`).
   */
  alwaysReasons?: boolean;
  /** Accepts pictures and PDFs. */
  vision?: boolean;
  webSearch?: boolean;
  /** OpenAI can search documents, run programs, and make pictures for its answers. */
  fileSearch?: boolean;
  codeInterpreter?: boolean;
  imageTool?: boolean;
  /** Reasons for minutes: its runs use the background unless the person says otherwise. */
  slow?: boolean;
  /** Available only through chat completions. */
  chatOnly?: boolean;
  /** Pictures are shown while they are made. */
  previews?: boolean;
  /** Micro-dollars per unit, if the built-in price list lacks the model. */
  prices?: Readonly<Record<string, string>>;
};

const long = {
  task: "chat",
  contextTokens: 1_050_000,
  outputTokens: 128_000,
  reasoning: true,
  vision: true,
  webSearch: true,
  fileSearch: true,
  codeInterpreter: true,
  imageTool: true,
} as const;
const gpt5 = { ...long, contextTokens: 400_000 } as const;
const firstGpt5 = { ...gpt5, alwaysReasons: true } as const;
const chatLatest = {
  task: "chat",
  contextTokens: 128_000,
  outputTokens: 16_384,
  vision: true,
  reasoning: false,
} as const;
const gpt4o = {
  ...chatLatest,
  webSearch: true,
  fileSearch: true,
  codeInterpreter: true,
  imageTool: true,
} as const;
const gpt41 = { ...gpt4o, contextTokens: 1_047_576, outputTokens: 32_768 } as const;
const oSeries = {
  task: "chat",
  contextTokens: 200_000,
  outputTokens: 100_000,
  reasoning: true,
  alwaysReasons: true,
  vision: true,
} as const;
const picture = { task: "image", previews: true } as const;
const speech = { task: "speech" } as const;
const transcription = { task: "transcription" } as const;
const embedding = { task: "embedding", contextTokens: 8_192 } as const;

/** Micro-dollars per token; input pictures are priced separately from text. */
const pictureTokens = (words: string, pictures: string, out: string) => ({
  "input token": words,
  "input image token": pictures,
  "output token": out,
});

/**
 * Micro-dollars for one use of a tool (developers.openai.com/api/docs/pricing, "Built-in tools" and
 * "Image generation"):
 * - file search: one call, $2.50 for 1,000;
 * - code session: a container of 1 GB for 20 minutes;
 * - tool picture: a square picture of medium quality by GPT Image 1.5 with one preview (1,156
 *   tokens out) and its prompt.
 */
export const toolPrices = {
  "file search": "2500",
  "code session": "30000",
  "tool picture": "40000",
} as const;

const known: Readonly<Record<string, SnapshotModel>> = {
  "gpt-6.2-astra": long,
  "gpt-6.1-sol": long,
  "gpt-6.1-terra": long,
  "gpt-6-astra": long,
  "gpt-6-sol": long,
  "gpt-6-luna": long,
  "gpt-5.6-sol": long,
  "gpt-5.6-terra": long,
  "gpt-5.6-luna": long,
  "gpt-5.5": long,
  "gpt-5.5-pro": { ...long, slow: true },
  "gpt-5.4": long,
  "gpt-5.4-pro": { ...long, slow: true },
  "gpt-5.4-mini": gpt5,
  "gpt-5.4-nano": gpt5,
  "gpt-5.3-codex": gpt5,
  "gpt-5.2": gpt5,
  "gpt-5.2-codex": gpt5,
  "gpt-5.2-pro": { ...gpt5, slow: true },
  "gpt-5.1": gpt5,
  "gpt-5.1-codex": gpt5,
  "gpt-5.1-codex-max": gpt5,
  "gpt-5.1-codex-mini": gpt5,
  "gpt-5": firstGpt5,
  "gpt-5-codex": firstGpt5,
  "gpt-5-mini": firstGpt5,
  "gpt-5-nano": firstGpt5,
  "gpt-5-pro": { ...firstGpt5, outputTokens: 272_000, slow: true },
  "gpt-5.3-chat-latest": chatLatest,
  "gpt-5.2-chat-latest": chatLatest,
  "gpt-5.1-chat-latest": chatLatest,
  "gpt-5-chat-latest": chatLatest,
  "gpt-4.1": gpt41,
  "gpt-4.1-mini": gpt41,
  "gpt-4.1-nano": { ...gpt41, webSearch: false, codeInterpreter: false },
  "gpt-4o": gpt4o,
  "gpt-4o-mini": gpt4o,
  "gpt-4o-search-preview": { ...chatLatest, vision: false, chatOnly: true },
  "gpt-4o-mini-search-preview": { ...chatLatest, vision: false, chatOnly: true },
  "gpt-4-turbo": { ...chatLatest, outputTokens: 4_096 },
  "gpt-4": { ...chatLatest, contextTokens: 8_192, outputTokens: 8_192, vision: false },
  "gpt-3.5-turbo": { ...chatLatest, contextTokens: 16_385, outputTokens: 4_096, vision: false },
  "gpt-3.5-turbo-16k": {
    ...chatLatest,
    contextTokens: 16_385,
    outputTokens: 4_096,
    vision: false,
    chatOnly: true,
  },
  o1: oSeries,
  "o1-pro": { ...oSeries, slow: true },
  o3: { ...oSeries, webSearch: true, fileSearch: true, codeInterpreter: true, imageTool: true },
  "o3-pro": { ...oSeries, slow: true, webSearch: true },
  "o3-mini": { ...oSeries, vision: false },
  "o4-mini": { ...oSeries, webSearch: true, fileSearch: true, codeInterpreter: true },
  "gpt-image-2.6-flare": picture,
  "gpt-image-2.6-sunburst": picture,
  "gpt-image-2.5-flare": picture,
  "gpt-image-2.5-sunburst": picture,
  "gpt-image-2": { ...picture, prices: pictureTokens("5", "8", "30") },
  "gpt-image-1.5": { ...picture, prices: pictureTokens("5", "8", "32") },
  "gpt-image-1": { ...picture, prices: pictureTokens("5", "10", "40") },
  "gpt-image-1-mini": { ...picture, prices: pictureTokens("2", "2.5", "8") },
  "chatgpt-image-latest": picture,
  "dall-e-3": { task: "image" },
  "dall-e-2": { task: "image" },
  "tts-1": { ...speech, prices: { character: "15" } },
  "tts-1-hd": { ...speech, prices: { character: "30" } },
  "gpt-4o-mini-tts": speech,
  "whisper-1": { ...transcription, prices: { second: "100" } },
  "gpt-4o-transcribe": transcription,
  "gpt-4o-mini-transcribe": transcription,
  "gpt-4o-transcribe-diarize": transcription,
  "gpt-transcribe": { ...transcription, prices: { second: "75" } },
  "text-embedding-3-small": embedding,
  "text-embedding-3-large": embedding,
  "text-embedding-ada-002": embedding,
  // Shut down at OpenAI on 2026-09-24, but still offered by other services at this address.
  "sora-2": { task: "video", prices: { second: "100000" } },
  "sora-2-pro": { task: "video" },
};

/** Listed models that no task fits: realtime, audio in chat, moderation, plain completion. */
const leftOut =
  /^(gpt-realtime|gpt-live|gpt-4o(-mini)?-realtime|gpt-audio|gpt-4o(-mini)?-audio|omni-moderation|text-moderation|babbage-002|davinci-002|gpt-3\.5-turbo-instruct|computer-use)/;

/** A model's dated edition (`gpt-5.5-2026-04-23`) has the facts of the name without the date. */
const withoutDate = (id: string) => id.replace(/-(\d{4}-\d{2}-\d{2}|\d{4})$/, "");

export const knownModel = (id: string): SnapshotModel | undefined =>
  known[id] ?? known[withoutDate(id)];
export const isLeftOut = (id: string): boolean => leftOut.test(id);
