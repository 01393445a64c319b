import type { MessageBody, MessageQuestion } from "#contract/schemas/doors/anthropic.ts";
import type { TurnsInput } from "#engine/plan/turns.ts";

type Tools = NonNullable<MessageQuestion["tools"]>;

/** @returns `dropped`: the fields of tools that Anthropic runs itself */
export function readTools(tools: Tools): {
  definitions: NonNullable<TurnsInput["tools"]>;
  dropped: string[];
} {
  const definitions: NonNullable<TurnsInput["tools"]> = [];
  const dropped: string[] = [];
  for (const [i, tool] of tools.entries())
    if ("input_schema" in tool)
      definitions.push({
        name: tool.name,
        description: tool.description ?? "",
        inputSchema: tool.input_schema,
        ...(typeof tool.strict === "boolean" && { strict: tool.strict }),
      });
    else dropped.push(`tools.${i}.${tool.type}`);
  return { definitions, dropped };
}

export function toChoice(choice: MessageQuestion["tool_choice"]): TurnsInput["toolChoice"] {
  if (!choice) return undefined;
  if (choice.type === "tool") return { name: choice.name };
  return choice.type === "any" ? "required" : choice.type;
}

/** Budgets of thinking at which the next effort begins. */
const budgets = [
  { effort: "high", from: 16_000 },
  { effort: "medium", from: 4_000 },
  { effort: "low", from: 0 },
] as const;

/**
 * Anthropic's words for how much to think, as the effort that all services know. Adaptive thinking without an effort is as much as
 * Anthropic's own default, which is high.
 */
export function effortOf({
  thinking,
  output_config: output,
}: Pick<MessageBody, "thinking" | "output_config">): string | undefined {
  if (thinking?.type === "disabled") return undefined;
  if (output?.effort) return output.effort;
  if (thinking?.type === "enabled")
    return budgets.find(({ from }) => thinking.budget_tokens >= from)?.effort;
  return thinking ? "high" : undefined;
}
