import type { CountedUse } from "#contract/filters/provider-tools.ts";
import { costOfUsage, likelyTokens } from "#domain/money/prices.ts";
import type { ModelCapabilities, RunRequest, Usage } from "#providers/adapter.ts";
import type { InHand } from "../in-hand.ts";

/**
 * What a run cost, in micro-dollars: what the provider reported, else what it counted at the prices that the run was
 * admitted under. Null when neither is known.
 */
export function costOf(
  inHand: Pick<InHand, "free" | "run">,
  came: { usage?: Usage; costMicros?: number } | null,
): number | null {
  if (came?.costMicros !== undefined) return came.costMicros;
  if (inHand.free) return 0;
  return came?.usage ? costOfUsage(inHand.run.prices, came.usage) : null;
}

/** What an answer that was torn used, roughly: all that was sent, all that came and each use of a tool of the provider, and marked as an estimate. */
export function estimateUsage(
  request: Pick<RunRequest, "turns" | "input">,
  said: { text: string; reasoning: string },
  used: Readonly<Partial<Record<CountedUse, number>>> = {},
): Usage {
  const sent = { characters: 0, pictures: 0, fileBytes: 0 };
  for (const part of request.turns.flatMap((turn) => turn.parts)) {
    if (part.type === "tool-call") sent.characters += JSON.stringify(part.input).length;
    else if (part.type === "tool-result") sent.characters += part.output.length;
    else if (part.type === "tool-record") sent.characters += JSON.stringify(part.data).length;
    else if (part.type !== "file") sent.characters += part.text.length;
    else if (part.file.mime.startsWith("image/")) sent.pictures += 1;
    else sent.fileBytes += part.file.bytes;
  }
  if (request.turns.length === 0) sent.characters += charactersIn(request.input);
  const outputTokens = likelyTokens({ characters: said.text.length + said.reasoning.length });
  const uses = Object.entries(used).map(([tool, times]) => [tool, String(times)]);
  return {
    inputTokens: likelyTokens(sent),
    outputTokens,
    units: { estimated: "yes", ...Object.fromEntries(uses) },
  };
}

/**
 * What a whole answer used. One whose provider counted no tokens is estimated from its text, unless the model reasons out of sight: then
 * nobody knows, and what was held is booked.
 */
export function usageOfAnswer(
  { run, model, free }: Pick<InHand, "run" | "model" | "free">,
  request: Pick<RunRequest, "turns" | "input">,
  { usage, costMicros }: { usage: Usage; costMicros?: number },
  said: { text: string; reasoning: string },
): Usage {
  const isCounted =
    usage.inputTokens !== undefined || usage.outputTokens !== undefined || costMicros !== undefined;
  const reasonsUnseen =
    (model.capabilities as ModelCapabilities).reasoning === true && said.reasoning === "";
  if (run.task !== "chat" || free || isCounted || reasonsUnseen) return usage;
  const estimated = estimateUsage(request, said);
  return { ...estimated, ...usage, units: { ...usage.units, ...estimated.units } };
}

/** Of all texts in an input that has no turns: an embedding's. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, one) => sum + charactersIn(one), 0)
    : 0;
}
