import type { CountedUse } from "#contract/filters/provider-tools.ts";
import { costOfUsage, likelyTokens } from "#domain/money/prices.ts";
import { isSearchedFor } from "#domain/text/searched-files.ts";
import type { ModelCapabilities, RunRequest, Usage } from "#providers/adapter.ts";
import type { InHand } from "../in-hand.ts";

/**
 * A run's cost in micro-dollars: the reported cost, or else the reported usage at the prices of its
 * admission. Null if neither is known.
 */
export function costOf(
  inHand: Pick<InHand, "free" | "run">,
  received: { usage?: Usage; costMicros?: number } | null,
): number | null {
  if (received?.costMicros !== undefined) return received.costMicros;
  if (inHand.free) return 0;
  return received?.usage ? costOfUsage(inHand.run.prices, received.usage) : null;
}

/**
 * Estimates the usage of an interrupted answer from everything sent and received and each use of
 * the provider's tools. The usage is marked as an estimate.
 */
export function estimateUsage(
  request: Pick<RunRequest, "turns" | "input" | "model">,
  { text, reasoning, calls = "" }: { text: string; reasoning: string; calls?: string },
  used: Readonly<Partial<Record<CountedUse, number>>> = {},
): Usage {
  const sent = { characters: 0, pictures: 0, fileBytes: 0 };
  const isSearched = isSearchedFor(request.model, request.input);
  for (const part of request.turns.flatMap((turn) => turn.parts)) {
    if (part.type === "tool-call") sent.characters += JSON.stringify(part.input).length;
    else if (part.type === "tool-result") sent.characters += part.output.length;
    else if (part.type === "tool-record") sent.characters += JSON.stringify(part.data).length;
    else if (part.type !== "file") sent.characters += part.text.length;
    else if (part.file.mime.startsWith("image/")) sent.pictures += 1;
    else if (!isSearched(part.file)) sent.fileBytes += part.file.bytes;
  }
  if (request.turns.length === 0) sent.characters += charactersIn(request.input);
  const outputTokens = likelyTokens({
    characters: text.length + reasoning.length + calls.length,
  });
  const uses = Object.entries(used).map(([tool, times]) => [tool, String(times)]);
  return {
    inputTokens: likelyTokens(sent),
    outputTokens,
    units: { estimated: "yes", ...Object.fromEntries(uses) },
  };
}

/**
 * The usage of a complete answer. Without token counts from the provider, it is estimated from the
 * text, unless the model's reasoning is hidden: then the usage is unknown and the reservation is
 * booked.
 */
export function usageOfAnswer(
  { run, model, free }: Pick<InHand, "run" | "model" | "free">,
  request: Pick<RunRequest, "turns" | "input" | "model">,
  { usage, costMicros }: { usage: Usage; costMicros?: number },
  answerText: { text: string; reasoning: string; calls?: string },
): Usage {
  const isCounted =
    usage.inputTokens !== undefined || usage.outputTokens !== undefined || costMicros !== undefined;
  const reasonsUnseen =
    (model.capabilities as ModelCapabilities).reasoning === true && answerText.reasoning === "";
  if (run.task !== "chat" || free || isCounted || reasonsUnseen) return usage;
  const estimated = estimateUsage(request, answerText);
  return { ...estimated, ...usage, units: { ...usage.units, ...estimated.units } };
}

/** Counts the characters of all texts in an input without turns, such as an embedding's. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, one) => sum + charactersIn(one), 0)
    : 0;
}
