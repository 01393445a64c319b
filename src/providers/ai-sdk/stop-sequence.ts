import type { JsonObject } from "#contract/json.ts";
import { isRecord } from "../wire/error-fields.ts";

/**
 * Which of the request's stop sequences ended the answer, for programs that ask for several. Only
 * Claude's clients say, each under its own name.
 */
export const stopSequenceIn =
  (client: "anthropic" | "amazonBedrock") =>
  (metadata: unknown): JsonObject | undefined => {
    const said = isRecord(metadata) ? metadata[client] : undefined;
    return isRecord(said) && typeof said.stopSequence === "string"
      ? { stopSequence: said.stopSequence }
      : undefined;
  };
