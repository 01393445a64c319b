import type { MessageBody, MessageQuestion } from "#contract/schemas/doors/anthropic.ts";
import type { TurnsInput } from "#engine/plan/turns.ts";

type Tools = NonNullable<MessageQuestion["tools"]>;

/** @returns `dropped` lists the fields of tools that Anthropic runs itself */
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

/** The thinking budgets at which each effort starts. */
const budgets = [
  { effort: "high", from: 16_000 },
  { effort: "medium", from: 4_000 },
  { effort: "low", from: 0 },
] as const;

/**
 * Converts Anthropic's thinking parameters to the effort that all services know. Adaptive thinking
 * without an effort gets Anthropic's own default, which is high.
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
