import type { ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import {
  blockFields,
  fieldsInBlocks,
  type MessageBody,
  type MessageQuestion,
  messageFields,
  ownToolFields,
} from "#contract/schemas/doors/anthropic.ts";
import { furtherFields, furtherWithin } from "#contract/schemas/doors/further-fields.ts";
import { sentences } from "#contract/sentences/index.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
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
  const own = tools.filter((tool) => "input_schema" in tool);
  dropped.push(...furtherFields("tools", own, ownToolFields));
  return { definitions, dropped };
}

/**
 * @param definitions the tools that the model can call
 * @throws Problem invalid_input for a choice that none of them can meet
 */
export function toChoice(
  { tool_choice: choice, tools }: Pick<MessageQuestion, "tool_choice" | "tools">,
  definitions: readonly { name: string }[],
): TurnsInput["toolChoice"] {
  if (!choice) return undefined;
  const refused = (message: string) =>
    new Problem("invalid_input", { field: "tool_choice", message });
  if (choice.type === "any") {
    if (definitions.length === 0) throw refused(sentences.api.noToolToRequire);
    return "required";
  }
  if (choice.type !== "tool") return choice.type;
  const { name } = choice;
  if (definitions.some((tool) => tool.name === name)) return { name };
  const isHosted = tools?.some((tool) => tool.name === name) === true;
  throw refused(
    isHosted ? sentences.api.hostedChoice({ type: name }) : sentences.api.toolNotOffered({ name }),
  );
}

/** Parameters inside others that no model gets, by their path. */
export function droppedWithin({
  output_config: output,
  cache_control,
  system,
  tools,
  messages,
}: Pick<
  MessageQuestion,
  "output_config" | "cache_control" | "system" | "tools" | "messages"
>): string[] {
  const { effort: _, format: __, ...further } = output ?? {};
  const blocks = messages.flatMap(blocksOf);
  return [
    ...Object.keys(further).map((name) => `output_config.${name}`),
    ...cacheTimes("", { cache_control }),
    ...cacheTimesOf("system", system),
    ...cacheTimesOf("tools", tools),
    ...cacheTimesOf("messages", messages),
    ...furtherFields("system", blocksOf({ content: system }), blockFields),
    ...furtherFields("messages", messages, messageFields),
    ...furtherFields("messages.content", blocks, blockFields),
    ...furtherWithin("messages.content", blocks, fieldsInBlocks),
  ];
}

type Block = { type: string; content?: unknown };
/** A message's blocks, with those inside results. */
const blocksOf = ({ content }: { content?: unknown }): Block[] =>
  Array.isArray(content)
    ? (content as Block[]).flatMap((block) => [
        block,
        ...(block.type === "tool_result" ? blocksOf(block) : []),
      ])
    : [];

/** What may have a mark for the cache, itself or within. */
type Marked = { cache_control?: MessageQuestion["cache_control"]; content?: unknown };

/** Ours is the usual time, which is also what a price counts. */
const cacheTimes = (path: string, { cache_control: mark, content }: Marked): string[] => [
  ...(mark?.ttl && mark.ttl !== "5m" ? [`${path}cache_control.ttl`] : []),
  ...cacheTimesOf(`${path}content`, content),
];
const cacheTimesOf = (path: string, list: unknown): string[] =>
  Array.isArray(list)
    ? (list as (Marked | null)[]).flatMap((one, index) =>
        cacheTimes(`${path}.${index}.`, one ?? {}),
      )
    : [];

/** The shape of the answer, under either of its names. */
export const formatOf = ({
  output_config: output,
  output_format: older,
}: Pick<MessageQuestion, "output_config" | "output_format">) => output?.format ?? older;

/** The thinking budgets at which each effort starts. */
const budgets = [
  { effort: "high", from: 16_000 },
  { effort: "medium", from: 4_000 },
  { effort: "low", from: 0 },
] as const;

type Thinking = Pick<MessageBody, "thinking" | "output_config">;

/**
 * Converts Anthropic's thinking parameters to the effort that all services know. Adaptive thinking
 * without an effort gets Anthropic's own default, which is high.
 */
function effortOf({ thinking, output_config: output }: Thinking): string | undefined {
  if (thinking?.type === "disabled") return "none";
  if (output?.effort) return output.effort;
  if (thinking?.type === "enabled")
    return budgets.find(({ from }) => thinking.budget_tokens >= from)?.effort;
  return thinking ? "high" : undefined;
}

/**
 * Returns the effort for a model, and the budget for those that count it (`thinking_budget`), for
 * which the effort stands elsewhere. `dropped` names thinking that can't be switched off.
 */
export function thinkingFor(
  { capabilities, inputSchema }: Pick<ModelDetail, "capabilities" | "inputSchema">,
  body: Thinking,
): { effort: string | undefined; budget?: number; dropped: string[] } {
  const { thinking } = body;
  const effort = effortOf(body);
  if (effort === "none") {
    const efforts = inputSchema && propertiesOf(inputSchema).reasoningEffort?.enum;
    const canStop =
      capabilities.reasoning === true && Array.isArray(efforts) && efforts.includes("none");
    const isLost = !canStop && capabilities.reasoning !== false;
    return { effort: canStop ? effort : undefined, dropped: isLost ? ["thinking"] : [] };
  }
  const isCounted = thinking?.type === "enabled";
  return { effort, ...(isCounted && { budget: thinking.budget_tokens }), dropped: [] };
}
