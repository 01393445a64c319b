import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ChatBody, ResponseBody } from "#contract/schemas/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { KeptPart, KeptTurn } from "#engine/plan/turns.ts";
import type { ServerDeps } from "../../deps.ts";
import { keepNamed } from "./files.ts";
import type { Asking } from "./follow.ts";

type Message = ChatBody["messages"][number];
type Item = Exclude<ResponseBody["input"], string>[number];

/** Calls by their ids: a result names only the id of its call. */
type Calls = Map<string, string>;

const textPart = (text: string): KeptPart[] => (text === "" ? [] : [{ type: "text", text }]);

/** OpenAI's messages as turns; their files are kept in the library first. */
export async function turnsOfMessages(
  deps: ServerDeps,
  asking: Asking,
  messages: readonly Message[],
): Promise<KeptTurn[]> {
  const turns: KeptTurn[] = [];
  const calls: Calls = new Map();
  for (const [i, message] of messages.entries()) {
    const at = `messages.${i}`;
    if (message.role === "tool")
      addResult(turns, calls, message.tool_call_id, wordsOf(message.content), at);
    else if (message.role === "user")
      turns.push({ role: "user", parts: await userParts(deps, asking, message.content, at) });
    else if (message.role === "assistant")
      turns.push({ role: "assistant", parts: assistantParts(message, calls) });
    else turns.push({ role: "system", parts: textPart(wordsOf(message.content)) });
  }
  return turns;
}

const wordsOf = (content: string | readonly { text: string }[]): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

async function userParts(
  deps: ServerDeps,
  asking: Asking,
  content: Extract<Message, { role: "user" }>["content"],
  at: string,
) {
  if (typeof content === "string") return textPart(content);
  const parts: KeptPart[] = [];
  for (const [i, part] of content.entries()) {
    const field = `${at}.content.${i}`;
    if (part.type === "text") parts.push(...textPart(part.text));
    else if (part.type === "image_url")
      parts.push(await filePart(deps, asking, part.image_url.url, field, "picture"));
    else parts.push(await filePart(deps, asking, part.file.file_data, field, part.file.filename));
  }
  return parts;
}

async function filePart(
  deps: ServerDeps,
  asking: Asking,
  source: string,
  field: string,
  name?: string,
): Promise<KeptPart> {
  return { type: "file", assetId: await keepNamed(deps, asking, source, field, name) };
}

function assistantParts(
  message: Extract<Message, { role: "assistant" }>,
  calls: Calls,
): KeptPart[] {
  const { content, tool_calls: asked } = message;
  const words =
    typeof content === "string"
      ? content
      : (content ?? []).map((part) => ("text" in part ? part.text : part.refusal)).join("");
  return [
    ...textPart(words),
    ...(asked ?? []).map(({ id, function: { name, arguments: input } }) =>
      toCall(calls, id, name, input),
    ),
  ];
}

function toCall(calls: Calls, callId: string, name: string, text: string): KeptPart {
  calls.set(callId, name);
  const input = readObject(text);
  return {
    type: "tool-call",
    callId,
    name,
    input: input ?? {},
    ...(input === undefined && { malformed: text }),
  };
}

function readObject(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as JsonObject)
      : undefined;
  } catch {
    // The model wrote it so, and gets it back unchanged.
    return undefined;
  }
}

/** Results of the calls of one turn are one turn. */
function addResult(
  turns: KeptTurn[],
  calls: Calls,
  callId: string,
  output: string,
  at: string,
): void {
  const name = calls.get(callId);
  if (name === undefined)
    throw new Problem("invalid_input", {
      field: at,
      message: sentences.api.toolCallMissing,
    });
  const result: KeptPart = { type: "tool-result", callId, name, output };
  const last = turns.at(-1);
  if (last?.role === "tool") last.parts.push(result);
  else turns.push({ role: "tool", parts: [result] });
}

/**
 * The same of the items of OpenAI's Responses. Reasoning that comes back is left out: it is no other model's.
 * @param before the messages up to here, if the request continues from an answer
 */
export async function turnsOfItems(
  deps: ServerDeps,
  asking: Asking,
  { input, instructions }: ResponseBody,
  before: readonly KeptTurn[],
): Promise<KeptTurn[]> {
  const turns: KeptTurn[] = [...(instructions ? [instructionsTurn(instructions)] : []), ...before];
  if (typeof input === "string") return [...turns, { role: "user", parts: textPart(input) }];
  const calls: Calls = new Map(
    before.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-call" ? [[part.callId, part.name]] : [])),
    ),
  );
  for (const [i, item] of input.entries())
    await addItem(deps, asking, turns, calls, item, `input.${i}`);
  return turns;
}

/** Instructions belong to one request: the next one, which continues it, sends others or none. */
const instructionsTurn = (instructions: string): KeptTurn => ({
  role: "system",
  parts: textPart(instructions),
});

async function addItem(
  deps: ServerDeps,
  asking: Asking,
  turns: KeptTurn[],
  calls: Calls,
  item: Item,
  at: string,
): Promise<void> {
  if ("role" in item) {
    const role = item.role === "developer" ? "system" : item.role;
    turns.push({ role, parts: await itemParts(deps, asking, item.content, at) });
  } else if (item.type === "function_call_output")
    addResult(turns, calls, item.call_id, item.output, at);
  else if (item.type === "function_call") {
    const call = toCall(calls, item.call_id, item.name, item.arguments);
    const last = turns.at(-1);
    if (last?.role === "assistant") last.parts.push(call);
    else turns.push({ role: "assistant", parts: [call] });
  }
}

async function itemParts(
  deps: ServerDeps,
  asking: Asking,
  content: Extract<Item, { role: string }>["content"],
  at: string,
) {
  if (typeof content === "string") return textPart(content);
  const parts: KeptPart[] = [];
  for (const [i, part] of content.entries()) {
    const field = `${at}.content.${i}`;
    if (part.type === "refusal") parts.push(...textPart(part.refusal));
    else if (part.type === "input_image")
      parts.push(await filePart(deps, asking, part.image_url, field, "picture"));
    else if (part.type === "input_file") {
      const source = part.file_data ?? part.file_url;
      if (source === undefined)
        throw new Problem("invalid_input", {
          field,
          message: sentences.api.fileDataMissing,
        });
      parts.push(await filePart(deps, asking, source, field, part.filename));
    } else parts.push(...textPart(part.text));
  }
  return parts;
}
