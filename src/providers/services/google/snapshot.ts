import type { Task } from "#contract/tasks.ts";

/**
 * Facts missing from GET /models. From ai.google.dev/gemini-api/docs/models and its pages on
 * pictures, speech and thinking, and from
 * docs.cloud.google.com/vertex-ai/generative-ai/docs/models.
 */
export const asOf = Date.UTC(2026, 10, 21);

export type SnapshotModel = {
  /** Its task, if its method alone would make it a chat. */
  task?: Task;
  /**
   * Accepts only text, or text and pictures. Left out: pictures, PDF, audio and video, as Gemini
   * generally does.
   */
  takes?: "text" | "pictures";
  /** Limits thinking by tokens, where newer models use a level. */
  thinkingTokens?: { least: number; most: number };
  /** No tools, no search. */
  isPlain?: true;
  /** No task fits it. */
  isLeftOut?: true;
  contextTokens?: number;
  outputTokens?: number;
};

/** Whether an answer that searched is billed once, however many searches it made. */
export const searchesByAnswer = (id: string): boolean => /^gemini-(1|2)\b/.test(id);

const picture = { task: "image" } as const;
const speech = { task: "speech" } as const;
const leftOut = { isLeftOut: true } as const;
const gemma = { takes: "pictures", isPlain: true } as const;
const long = { contextTokens: 1_048_576, outputTokens: 65_536 } as const;
const flash25 = { ...long, thinkingTokens: { least: 0, most: 24_576 } } as const;

export const known: Readonly<Record<string, SnapshotModel>> = {
  "gemini-4-argon": long,
  "gemini-4-carbon": long,
  "gemini-4-hydrogen": long,
  "gemini-3.8-flash": long,
  "gemini-3.7-flash": long,
  "gemini-3.6-flash": long,
  "gemini-3.5-flash": long,
  "gemini-3.5-flash-lite": long,
  "gemini-3.1-pro-preview": long,
  "gemini-3.1-flash-lite-preview": long,
  "gemini-3-pro-preview": long,
  "gemini-3-flash-preview": long,
  "gemini-2.5-pro": { ...long, thinkingTokens: { least: 128, most: 32_768 } },
  "gemini-2.5-flash": flash25,
  "gemini-2.5-flash-lite": flash25,
  "gemini-nano-banana-2.1": picture,
  "nano-banana-pro-preview": picture,
  "gemini-3-pro-image": picture,
  "gemini-3-pro-image-preview": picture,
  "gemini-3.1-flash-image": picture,
  "gemini-3.1-flash-image-preview": picture,
  "gemini-3.1-flash-lite-image": picture,
  "gemini-2.5-flash-image": picture,
  "gemini-3.8-flash-tts": speech,
  "gemini-3.8-flash-lite-tts": speech,
  "gemini-3.1-flash-tts-preview": speech,
  "gemini-2.5-flash-tts": speech,
  "gemini-2.5-pro-tts": speech,
  "gemini-2.5-flash-preview-tts": speech,
  "gemini-2.5-pro-preview-tts": speech,
  "gemma-3-27b-it": gemma,
  "gemma-3-12b-it": gemma,
  "gemma-3-4b-it": gemma,
  "gemma-3-1b-it": { takes: "text", isPlain: true },
  "gemma-3n-e4b-it": { takes: "text", isPlain: true },
  "gemma-3n-e2b-it": { takes: "text", isPlain: true },
  "gemini-2.5-computer-use-preview-10-2025": leftOut,
  "gemini-3.5-transcribe": leftOut,
  "deep-research-pro-preview-12-2025": leftOut,
  "deep-research-preview-04-2026": leftOut,
  "deep-research-max-preview-04-2026": leftOut,
};
