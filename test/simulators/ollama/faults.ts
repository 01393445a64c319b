import type { Behaviour } from "../kit/behaviour.ts";

export const ollamaFaults = [
  "reset",
  // Inside the answer, after its second word.
  "error-line",
  "long-line",
  // Holds the answer after its first word until released.
  "hold",
] as const;
type OllamaFault = (typeof ollamaFaults)[number];

export type Script = {
  tokens?: string[];
  thinking?: string[];
  fault?: OllamaFault;
  tokenMs?: number;
  doneReason?: string;
};

/**
 * Converts a script to the behavior that all simulators share; omitted fields are left to the
 * behavior.
 */
export function toBehaviour(
  { tokens, thinking, fault, tokenMs, doneReason }: Script,
  gate: string,
): Behaviour {
  const error = "an error was encountered while running the model";
  return {
    ...(tokens && { text: tokens }),
    ...(thinking && { reasoning: thinking }),
    ...(tokenMs !== undefined && { betweenMs: tokenMs }),
    ...(doneReason !== undefined && { finishReason: doneReason }),
    ...(fault === "hold" && { gate: { name: gate, at: 1 } }),
    ...(fault === "error-line" && { fault: { kind: "error-event" as const, after: 2, error } }),
  };
}
