import { Problem } from "#contract/errors.ts";
import type { ChatBody, ResponseBody } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { TurnsInput } from "#engine/plan/turns.ts";
import { describeGroups, isLegacy, type OfferedTool, type ReadTools } from "./tools.ts";

type Choice = NonNullable<ResponseBody["tool_choice"]>;
type Allowed = Extract<Choice, { mode: string }>;
type AllowedTool = Allowed["tools"][number];
type ToolReference = { type: OfferedTool["type"] | "namespace"; name: string };
/**
 * Selects the tools that a request lets its model call. Services without `allowed_tools` get only
 * the allowed tools, which means the same.
 * @param at the fields of the choice and of the allowed tools
 * @throws Problem invalid_input for a choice that no tool of the request can meet
 */
export function chooseTools(
  read: ReadTools,
  choice: Choice | null | undefined,
  at = { choice: "tool_choice", allowed: "tool_choice.tools" },
): ChosenTools {
  const { tools, ...chosen } = allowedTools(read, choice, at);
  return { tools: describeGroups(tools, read), ...chosen };
}
type ChosenTools = { tools: ReadTools["definitions"]; toolChoice?: TurnsInput["toolChoice"] };

function allowedTools(
  { definitions, offered }: ReadTools,
  choice: Choice | null | undefined,
  at: { choice: string; allowed: string },
): ChosenTools {
  if (!choice || choice === "auto" || choice === "none")
    return { tools: definitions, ...(choice && { toolChoice: choice }) };
  const find = (named: ToolReference): typeof definitions =>
    definitions.filter((definition) => isNamed(offered.get(definition.name)!, named));
  if (choice !== "required" && !isAllowed(choice)) {
    if (!isNameOf(choice))
      throw refused(at.choice, sentences.api.hostedChoice({ type: choice.type }));
    const [chosen] = find(choice);
    if (!chosen) throw refused(at.choice, sentences.api.toolNotOffered(choice));
    return { tools: definitions, toolChoice: { name: chosen.name } };
  }
  const allowed = choice === "required" ? definitions : allowedOf(choice.tools, find, at.allowed);
  const mode = choice === "required" ? choice : choice.mode;
  if (mode === "required" && allowed.length === 0)
    throw refused(at.choice, sentences.api.noToolToRequire);
  return {
    tools: definitions.filter((definition) => allowed.includes(definition)),
    toolChoice: mode,
  };
}

/** Tools that OpenAI runs itself are already left out, and reported. */
function allowedOf<T>(
  tools: readonly AllowedTool[],
  find: (named: ToolReference) => T[],
  at: string,
): T[] {
  return tools.flatMap((tool, i) => {
    if (!isNameOf(tool)) return [];
    const found = find(tool);
    if (found.length === 0) throw refused(`${at}.${i}`, sentences.api.toolNotOffered(tool));
    return found;
  });
}

const isAllowed = (choice: Exclude<Choice, string>): choice is Allowed =>
  choice.type === "allowed_tools";
const isNameOf = (
  tool: Exclude<Choice, string> | AllowedTool,
): tool is Extract<AllowedTool, ToolReference> =>
  tool.type === "function" || tool.type === "custom" || tool.type === "namespace";

/** Functions of a group match by the group's name or by their own. */
const isNamed = (tool: OfferedTool, { type, name }: ToolReference): boolean =>
  type === "namespace" ? tool.namespace === name : tool.type === type && tool.name === name;

const refused = (field: string, message: string) =>
  new Problem("invalid_input", { field, message });

/**
 * Like `chooseTools`, for chat completions, whose choice and tools are nested or in the old form,
 * as functions.
 */
export function chooseChatTools(
  read: ReadTools,
  { tool_choice: choice, functions, function_call: legacy }: ChatBody,
): ChosenTools {
  const named =
    legacy && typeof legacy === "object" ? ({ ...legacy, type: "function" } as const) : null;
  if (named || isLegacy({ functions }))
    return chooseTools(read, named ?? (legacy as "auto" | "none" | null | undefined), {
      choice: "function_call",
      allowed: "",
    });
  return chooseTools(read, choiceOfChat(choice), {
    choice: "tool_choice",
    allowed: "tool_choice.allowed_tools.tools",
  });
}

function choiceOfChat(choice: ChatBody["tool_choice"]): Choice | null | undefined {
  if (typeof choice !== "object" || choice === null) return choice;
  if (!isAllowedInChat(choice)) return flat(choice);
  const { mode, tools } = choice.allowed_tools;
  return { type: "allowed_tools", mode, tools: tools.map(flat) };
}

type ChatChoice = Exclude<NonNullable<ChatBody["tool_choice"]>, string>;
type ChatAllowed = Extract<ChatChoice, { allowed_tools: { mode: string } }>;
type ChatTool = ChatAllowed["allowed_tools"]["tools"][number];
const isAllowedInChat = (choice: ChatChoice): choice is ChatAllowed =>
  choice.type === "allowed_tools";
const isFunction = (tool: ChatTool): tool is Extract<ChatTool, { function: { name: string } }> =>
  tool.type === "function";
const isCustom = (tool: ChatTool): tool is Extract<ChatTool, { custom: { name: string } }> =>
  tool.type === "custom";

function flat(tool: ChatTool): AllowedTool {
  if (isFunction(tool)) return { type: "function", name: tool.function.name };
  return isCustom(tool) ? { type: "custom", name: tool.custom.name } : tool;
}
