import type { JsonObject } from "#contract/json.ts";
import type { Usage } from "#domain/money/prices.ts";
import type { ProviderExtras, ToolCall, ToolCallPiece, ToolRecord } from "./turns.ts";

/** The parts of an answer, in order. */
export type AnswerPart =
  /** `citations` ends a block of text, which has them. The text may be empty then. */
  | { type: "text"; text: string; citations?: JsonObject[] }
  /**
   * Reasoning with an empty text marks the start, or carries data for the reasoning so far (its
   * signature).
   */
  | ({ type: "reasoning"; text: string } & ProviderExtras)
  | ToolCallPiece
  | ToolCall
  | ToolRecord
  /** `assetId` is set if the document is a file in the conversation. */
  | { type: "source"; title: string; url?: string; document?: string; assetId?: string }
  /** Work done out of work to do; never a timer. */
  | { type: "progress"; done: number; total: number; label?: string }
  /** A small picture of the coming result, shown but not saved. */
  | { type: "preview"; mime: string; bytes: Uint8Array }
  /**
   * The whole event that contained the previous parts, without those parts (`partial` of
   * contract/events.ts).
   */
  | { type: "partial"; data: JsonObject }
  /** A piece of a recording as it arrives. `mime` is the provider's label. */
  | { type: "sound"; bytes: Uint8Array; mime?: string }
  /** The recording is complete: its pieces become a file. */
  | { type: "recorded"; name: string; mime?: string }
  | { type: "file"; output: ProducedFile }
  /**
   * The end of the answer; an answer without it was interrupted. `costMicros` is set only if the
   * provider itself reported it. `result` holds text, numbers and seeds in addition to the files,
   * and is saved with the run.
   */
  | {
      type: "finish";
      reason: FinishReason;
      usage: Usage;
      costMicros?: number;
      result?: JsonObject;
    };

export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "other";

/**
 * A file to store: as bytes, as a URL to fetch (one that needs the connection's key goes through
 * the adapter's `openFile`), or through `open`, which reads another source from its start at each
 * call.
 */
export type ProducedFile = {
  name: string;
  mime?: string;
  width?: number;
  height?: number;
  durationMs?: number;
  /** The size and hash that the provider states. Both are verified. */
  size?: number;
  sha256?: string;
} & (
  | { bytes: Uint8Array }
  | { open(): Promise<AsyncIterable<Uint8Array>> }
  | { url: string; expiresAt?: number; needsKey?: true }
);
