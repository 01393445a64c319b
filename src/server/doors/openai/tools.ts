import type { ResponseBody } from "#contract/schemas/doors/openai.ts";
import type { TurnsInput } from "#engine/plan/turns.ts";
import { schemaOf } from "../programs/ask.ts";

type Tool = NonNullable<ResponseBody["tools"]>[number];
type Definition = NonNullable<TurnsInput["tools"]>[number];

const separator = "__";

/** A function of a group as models know it. */
export const nameInSpace = (space: string | null | undefined, name: string): string =>
  space ? `${space}${separator}${name}` : name;

/** What a model's call is to the program that offered the tool. */
export type OfferedTool =
  | { type: "function"; name: string; namespace?: string }
  | { type: "custom"; name: string };

/**
 * The tools of a request to Responses as functions, which every model takes: a group's functions with its name before theirs, a tool
 * of free text as a function of one text. Tools that OpenAI runs itself are left out.
 * @returns `offered` by the names that models know, `dropped` by the request's fields
 */
export function readTools(tools: readonly Tool[] = []): {
  definitions: Definition[];
  offered: ReadonlyMap<string, OfferedTool>;
  dropped: string[];
} {
  const definitions: Definition[] = [];
  const offered = new Map<string, OfferedTool>();
  const dropped: string[] = [];
  const offer = (definition: Definition, tool: OfferedTool): void => {
    definitions.push(definition);
    offered.set(definition.name, tool);
  };
  for (const [i, tool] of tools.entries()) {
    if (isFunction(tool)) offer(toDefinition(tool), { type: "function", name: tool.name });
    else if (isGroup(tool))
      for (const inner of tool.tools) {
        const name = nameInSpace(tool.name, inner.name);
        offer(
          { ...toDefinition(inner), name },
          { type: "function", name: inner.name, namespace: tool.name },
        );
      }
    else if (isCustom(tool)) offer(toTextFunction(tool), { type: "custom", name: tool.name });
    else dropped.push(`tools.${i}.${tool.type}`);
  }
  return { definitions, offered, dropped };
}

type FunctionTool = Extract<Tool, { type: "function" }>;
type GroupTool = Extract<Tool, { type: "namespace" }>;
type CustomTool = Extract<Tool, { type: "custom" }>;
const isFunction = (tool: Tool): tool is FunctionTool => tool.type === "function";
const isGroup = (tool: Tool): tool is GroupTool => tool.type === "namespace";
const isCustom = (tool: Tool): tool is CustomTool => tool.type === "custom";

export const toDefinition = ({
  name,
  description,
  parameters,
  strict,
}: Pick<FunctionTool, "name" | "description" | "parameters" | "strict">): Definition => ({
  name,
  description: description ?? "",
  inputSchema: schemaOf(parameters),
  ...(typeof strict === "boolean" && { strict }),
});

/** The grammar is part of the description: no other service holds a model to it. */
function toTextFunction({ name, description, format }: CustomTool): Definition {
  const grammar =
    format?.type === "grammar" ? `\n\nThe input has this form:\n${String(format.definition)}` : "";
  return {
    name,
    description: `${description ?? ""}${grammar}`,
    inputSchema: {
      type: "object",
      properties: { input: { type: "string" } },
      required: ["input"],
      additionalProperties: false,
    },
  };
}
