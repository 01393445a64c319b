import { Problem } from "#contract/errors.ts";
import { furtherFields } from "#contract/schemas/doors/further-fields.ts";
import { type ChatBody, type ResponseBody, toolFields } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ToolCall, TurnsInput } from "#engine/plan/turns.ts";
import { schemaOf } from "../programs/ask.ts";
import { writtenInput } from "../programs/earlier-answers.ts";

type Tool = NonNullable<ResponseBody["tools"]>[number];
type Definition = NonNullable<TurnsInput["tools"]>[number];

const separator = "__";

/** The model's name for a function of a group. */
export const nameInSpace = (space: string | null | undefined, name: string): string =>
  space ? `${space}${separator}${name}` : name;

/** The tool behind a model's call, as the program offered it. */
export type OfferedTool = { type: "function" | "custom"; name: string; namespace?: string };

export type ReadTools = {
  definitions: Definition[];
  offered: ReadonlyMap<string, OfferedTool>;
  /** The descriptions of groups, by the groups' names. */
  groups: ReadonlyMap<string, string>;
  dropped: string[];
};

/**
 * Converts the tools of a request to Responses to functions, which every model supports: a group's
 * tools with its name as prefix, and a free-text tool as a function with one text. Tools that
 * OpenAI runs itself are left out.
 * @param isStrictUnsaid whether the API enforces a function's schema without being told to, as
 *   Responses do and chat completions don't
 * @returns `offered` by the models' names, `dropped` by the request's fields
 */
export function readTools(tools: readonly Tool[] = [], isStrictUnsaid = true): ReadTools {
  const read = (tool: FunctionTool): Definition => toDefinition(tool, isStrictUnsaid);
  const definitions: Definition[] = [];
  const offered = new Map<string, OfferedTool>();
  const groups = new Map<string, string>();
  const known: object[] = [];
  const dropped: string[] = [];
  const offer = (definition: Definition, tool: OfferedTool): void => {
    definitions.push(definition);
    offered.set(definition.name, tool);
  };
  for (const [i, tool] of tools.entries()) {
    if (isHosted(tool)) {
      dropped.push(`tools.${i}.${tool.type}`);
      continue;
    }
    known.push(tool);
    if (isFunction(tool)) offer(read(tool), { type: "function", name: tool.name });
    else if (isGroup(tool)) {
      if (tool.description) groups.set(tool.name, tool.description);
      known.push(...tool.tools);
      for (const inner of tool.tools) {
        const name = nameInSpace(tool.name, inner.name);
        const definition = inner.type === "custom" ? toTextFunction(inner) : read(inner);
        offer(
          { ...definition, name },
          { type: inner.type, name: inner.name, namespace: tool.name },
        );
      }
    } else if (isCustom(tool)) offer(toTextFunction(tool), { type: "custom", name: tool.name });
  }
  dropped.push(...furtherFields("tools", known, toolFields));
  return { definitions, offered, groups, dropped };
}

/**
 * Adds the description of each group to the first of its tools that the model gets, because models
 * know no groups.
 */
export function describeGroups(
  definitions: readonly Definition[],
  { offered, groups }: Pick<ReadTools, "offered" | "groups">,
): Definition[] {
  const left = new Map(groups);
  return definitions.map((definition) => {
    const group = offered.get(definition.name)?.namespace ?? "";
    const description = left.get(group);
    if (description === undefined) return definition;
    left.delete(group);
    const own = definition.description && `\n\n${definition.description}`;
    const about = sentences.api.toolGroup({ prefix: nameInSpace(group, ""), description });
    return { ...definition, description: `${about}${own}` };
  });
}

/**
 * Like `readTools`, for chat completions, which nest the fields that Responses have flat, and also
 * have functions in the old form.
 * @throws Problem invalid_input for both forms at once
 */
export function readChatTools({
  tools,
  functions,
}: Pick<ChatBody, "tools" | "functions">): ReadTools {
  if (!isLegacy({ functions })) {
    const read = readTools((tools ?? []).map(flat), false);
    const nested = (tools ?? []).filter((tool) => isNestedFunction(tool) || isNestedCustom(tool));
    const beside = furtherFields("tools", nested, nestingFields);
    return { ...read, dropped: [...new Set([...read.dropped, ...beside])] };
  }
  if (tools?.length)
    throw new Problem("invalid_input", {
      field: "functions",
      message: sentences.api.toolsOrFunctions,
    });
  const old = functions!.map((one) => ({ ...one, type: "function" as const }));
  return readTools(old, false);
}

/** Whether a program uses functions in the old form, and so reads only calls of that form. */
export const isLegacy = ({ functions }: Pick<ChatBody, "functions">): boolean =>
  (functions?.length ?? 0) > 0;

/** The type comes last, because a function may have a further field of this name. */
function flat(tool: ChatTool): Tool {
  if (isNestedFunction(tool)) return { ...tool.function, type: tool.type };
  if (!isNestedCustom(tool)) return tool;
  const { format } = tool.custom;
  const grammar = format?.grammar as object | undefined;
  return {
    ...tool.custom,
    type: tool.type,
    format: grammar ? { ...grammar, type: "grammar" } : format,
  };
}

/** The fields of a tool in chat completions that are read. The others are nested in it. */
const nestingFields: ReadonlySet<string> = new Set(["type", "function", "custom"]);

type ChatTool = NonNullable<ChatBody["tools"]>[number];
type NestedFunction = Extract<ChatTool, { type: "function" }>;
type NestedCustom = Extract<ChatTool, { type: "custom" }>;
const isNestedFunction = (tool: ChatTool): tool is NestedFunction => tool.type === "function";
const isNestedCustom = (tool: ChatTool): tool is NestedCustom => tool.type === "custom";

/**
 * Returns the text that a free-text tool was called with; `callOfText` converts it back for the
 * model.
 */
export const textOfCall = (call: ToolCall): string =>
  typeof call.input.input === "string" ? call.input.input : writtenInput(call);
export const callOfText = (text: string): string => JSON.stringify({ input: text });

type FunctionTool = Extract<Tool, { type: "function" }>;
type GroupTool = Extract<Tool, { type: "namespace" }>;
type CustomTool = Extract<Tool, { type: "custom" }>;
const isFunction = (tool: Tool): tool is FunctionTool => tool.type === "function";
const isGroup = (tool: Tool): tool is GroupTool => tool.type === "namespace";
const isCustom = (tool: Tool): tool is CustomTool => tool.type === "custom";
const isHosted = (tool: Tool): boolean => !isFunction(tool) && !isGroup(tool) && !isCustom(tool);

const toDefinition = (
  {
    name,
    description,
    parameters,
    strict,
  }: Pick<FunctionTool, "name" | "description" | "parameters" | "strict">,
  isStrictUnsaid: boolean,
): Definition => ({
  name,
  description: description ?? "",
  inputSchema: schemaOf(parameters),
  ...(typeof strict === "boolean" ? { strict } : isStrictUnsaid && { isStrictUnsaid }),
});

/** The grammar becomes part of the description, because no other service enforces it. */
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
