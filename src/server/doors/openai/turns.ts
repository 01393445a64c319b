import { Problem } from "#contract/errors.ts";
import { furtherFields, furtherWithin } from "#contract/schemas/doors/further-fields.ts";
import {
  type ChatBody,
  callFields,
  chatPartFields,
  fieldsInCalls,
  fieldsInParts,
  hostedCalls,
  inputPartFields,
  itemFields,
  legacyCallFields,
  messageFields,
  type ResponseBody,
} from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { StoredPart, StoredTurn } from "#engine/plan/turns.ts";
import type { ServerDeps } from "../../deps.ts";
import { type EarlierAnswers, findEarlierAnswers } from "../programs/earlier-answers.ts";
import { saveReferencedFile } from "../programs/files.ts";
import type { Asking } from "../programs/follow.ts";
import { createTurns, type Turns, textPart } from "../programs/turns.ts";
import { type ItemId, readItemId } from "./item-ids.ts";
import { callOfText, nameInSpace } from "./tools.ts";

type Message = ChatBody["messages"][number];
type Item = Exclude<ResponseBody["input"], string>[number];

/** Converts OpenAI's messages to turns, saving their files in the library first. */
export async function turnsOfMessages(
  deps: ServerDeps,
  asking: Asking,
  messages: readonly Message[],
): Promise<StoredTurn[]> {
  const answers = await findEarlierAnswers(deps, asking, {
    callIds: messages.flatMap((message, i) =>
      message.role === "tool" ? [message.tool_call_id] : callsIn(message, i).map(({ id }) => id),
    ),
  });
  const turns = createTurns(answers);
  /** The last call of each function, because results in the old form refer to no call. */
  const functionCalls = new Map<string, string>();
  for (const [i, message] of messages.entries()) {
    const at = `messages.${i}`;
    if (message.role === "tool")
      turns.addResult(
        message.tool_call_id,
        await partsOfContent(deps, asking, message.content, at),
        at,
      );
    else if (message.role === "user")
      turns.add("user", await partsOfContent(deps, asking, message.content, at));
    else if (message.role === "assistant") {
      const calls = callsIn(message, i);
      turns.add("assistant", assistantParts(message, calls, answers));
      if (message.function_call) functionCalls.set(message.function_call.name, calls.at(-1)!.id);
    } else if (message.role === "function")
      turns.addResult(
        functionCalls.get(message.name) ?? "",
        textPart(plainTextOf(message.content ?? "")),
        at,
      );
    else turns.add("system", textPart(plainTextOf(message.content)));
  }
  return turns.end();
}

/** The fields of messages that turns can't hold. Each is named once. */
export function droppedOfMessages(messages: readonly Message[]): string[] {
  const dropped = messages.flatMap((message) => [
    ...(message.role !== "tool" && message.role !== "function" && message.name
      ? ["messages.name"]
      : []),
    ...(message.role === "assistant" && message.audio ? ["messages.audio"] : []),
    ...("content" in message && Array.isArray(message.content) && message.content.some(isDetailed)
      ? ["messages.image_url.detail"]
      : []),
  ]);
  const parts = messages.flatMap<object>(({ content }) => (Array.isArray(content) ? content : []));
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []) : [],
  );
  return [
    ...new Set(dropped),
    ...furtherFields("messages", messages, messageFields),
    ...furtherFields("messages.content", parts, chatPartFields),
    ...furtherWithin("messages.content", parts, fieldsInParts),
    ...furtherFields("messages.tool_calls", calls, callFields),
    ...furtherWithin("messages.tool_calls", calls, fieldsInCalls),
    ...furtherWithin("messages", messages, { function_call: legacyCallFields }),
  ];
}

const isDetailed = (part: { type: string; image_url?: { detail?: string | null } }): boolean =>
  isWished(part.image_url?.detail);
const isWished = (detail: string | null | undefined): boolean =>
  detail !== undefined && detail !== null && detail !== "auto";

/**
 * The fields of Responses' items that turns can't hold, with the calls of OpenAI's own tools by
 * their index.
 */
export function droppedOfItems(input: ResponseBody["input"]): string[] {
  if (typeof input === "string") return [];
  const parts = input.flatMap(partsIn);
  const isFine = parts.some((part) => part.type === "input_image" && isWished(part.detail));
  return [
    ...input.flatMap((item, i) =>
      isOfHostedTool(item) || isForeignReasoning(item) ? [`input.${i}.${item.type}`] : [],
    ),
    ...(isFine ? ["input.input_image.detail"] : []),
    ...furtherFields(
      "input",
      input.filter((item) => !isOfHostedTool(item)),
      itemFields,
    ),
    ...furtherFields("input.content", parts, inputPartFields),
    ...furtherWithin("input.content", parts, fieldsInParts),
  ];
}

/** Reasoning that only its own service can read. Ours returns with the calls it led to. */
const isForeignReasoning = (item: Item): boolean =>
  item.type === "reasoning" &&
  Boolean(item.encrypted_content) &&
  readItemId(item.encrypted_content!) === undefined;

type ItemPart = Exclude<Extract<Item, { role: string }>["content"], string>[number];
function partsIn(item: Item): readonly ItemPart[] {
  if (isOfHostedTool(item) || item.type === "additional_tools") return [];
  const content = isMessage(item) ? item.content : isResult(item) ? item.output : "";
  return typeof content === "string" ? [] : content;
}

/** By the type, because any item may have further fields, such as a role. */
const isMessage = (item: Item): item is Extract<Item, { role: string }> =>
  item.type === undefined || item.type === "message";
type ResultItem = Extract<Item, { type: "function_call_output" | "custom_tool_call_output" }>;
const isResult = (item: Item): item is ResultItem =>
  item.type === "function_call_output" || item.type === "custom_tool_call_output";

const plainTextOf = (content: string | readonly { text: string }[]): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

async function partsOfContent(
  deps: ServerDeps,
  asking: Asking,
  content: Extract<Message, { role: "user" | "tool" }>["content"],
  at: string,
): Promise<StoredPart[]> {
  if (!content) return [];
  if (typeof content === "string") return textPart(content);
  const parts: StoredPart[] = [];
  for (const [i, part] of content.entries()) {
    const field = `${at}.content.${i}`;
    if (part.type === "text") parts.push(...textPart(part.text));
    else if (part.type === "image_url")
      parts.push(await filePart(deps, asking, part.image_url.url, field, "picture"));
    else if (part.type === "input_audio")
      parts.push(await recordingPart(deps, asking, part.input_audio, field));
    else parts.push(await filePart(deps, asking, part.file.file_data, field, part.file.filename));
  }
  return parts;
}

async function filePart(
  deps: ServerDeps,
  asking: Asking,
  source: string,
  field: string,
  name?: string | null,
): Promise<StoredPart> {
  return {
    type: "file",
    assetId: await saveReferencedFile(deps, asking, source, field, name ?? undefined),
  };
}

/** Some programs send a URL instead of bytes, as they do for pictures. */
const recordingPart = (
  deps: ServerDeps,
  asking: Asking,
  { data, format }: { data: string; format: string },
  field: string,
): Promise<StoredPart> =>
  filePart(
    deps,
    asking,
    data.startsWith("data:") ? data : `data:audio/${format};base64,${data}`,
    field,
    `recording.${format}`,
  );

type Called = { id: string; name: string; input: string };

/** Returns a message's calls, whichever form its tools have. */
function callsIn(message: Message, place: number): Called[] {
  if (message.role !== "assistant") return [];
  const { tool_calls: calls, function_call: legacy } = message;
  return [
    ...(calls ?? []).map((call) =>
      call.type === "custom"
        ? { id: call.id, name: call.custom.name, input: callOfText(call.custom.input) }
        : { id: call.id, name: call.function.name, input: call.function.arguments },
    ),
    ...(legacy
      ? [{ id: legacy.id ?? `function_${place}`, name: legacy.name, input: legacy.arguments }]
      : []),
  ];
}

function assistantParts(
  { content, reasoning_content: reasoning }: Extract<Message, { role: "assistant" }>,
  calls: readonly Called[],
  answers: EarlierAnswers,
): StoredPart[] {
  const words =
    typeof content === "string"
      ? content
      : (content ?? []).map((part) => (part.type === "text" ? part.text : part.refusal)).join("");
  const isKnown = calls.some(({ id }) => answers.isKnown(id));
  return [
    ...(reasoning && !isKnown ? [foreignReasoning(reasoning)] : []),
    ...textPart(words),
    ...calls.flatMap(({ id, name, input }) => answers.call(id, name, input)),
  ];
}

/**
 * Reasoning from another gateway's answer: services with that field accept it there, and others
 * ignore it.
 */
const foreignReasoning = (text: string): StoredPart => ({
  type: "reasoning",
  text,
  providerMetadata: { "openai-compatible": { field: "reasoning_content" } },
});

/**
 * Like `turnsOfMessages`, for the items of OpenAI's Responses. Reasoning from our own answers
 * returns with their calls; other reasoning is left out, because only its own model can use it.
 * @param before the messages up to here, if the request continues from an answer
 */
export async function turnsOfItems(
  deps: ServerDeps,
  asking: Asking,
  { input, instructions }: ResponseBody,
  before: readonly StoredTurn[],
): Promise<StoredTurn[]> {
  const first: StoredTurn[] = [
    ...(instructions ? [instructionsTurn(instructions)] : []),
    ...before,
  ];
  if (typeof input === "string") return [...first, { role: "user", parts: textPart(input) }];
  const answers = await findEarlierAnswers(deps, asking, {
    callIds: input.flatMap((item) =>
      "call_id" in item && typeof item.call_id === "string" ? [item.call_id] : [],
    ),
    runIds: input.flatMap((item) =>
      item.type === "item_reference" ? (readItemId(item.id)?.runId ?? []) : [],
    ),
  });
  for (const part of before.flatMap(({ parts }) => parts))
    if (part.type === "tool-call") answers.addCall(part.callId, part.name);
  const turns = createTurns(answers, first);
  for (const [i, item] of input.entries())
    await addItem(deps, asking, turns, answers, item, `input.${i}`);
  return turns.end();
}

/** Instructions belong to one request: a request that continues it sends others or none. */
const instructionsTurn = (instructions: string): StoredTurn => ({
  role: "system",
  parts: textPart(instructions),
});

async function addItem(
  deps: ServerDeps,
  asking: Asking,
  turns: Turns,
  answers: EarlierAnswers,
  item: Item,
  at: string,
): Promise<void> {
  if (isOfHostedTool(item) || item.type === "additional_tools") return;
  if (isMessage(item)) {
    const role = item.role === "developer" ? "system" : item.role;
    turns.add(role, await itemParts(deps, asking, item.content, at));
  } else if (isResult(item))
    turns.addResult(item.call_id, await itemParts(deps, asking, item.output, at), at);
  else if (item.type === "function_call")
    turns.extend(
      "assistant",
      answers.call(item.call_id, nameInSpace(item.namespace, item.name), item.arguments),
    );
  else if (item.type === "custom_tool_call")
    turns.extend(
      "assistant",
      answers.call(item.call_id, nameInSpace(item.namespace, item.name), callOfText(item.input)),
    );
  else if (item.type === "item_reference") {
    const id = readItemId(item.id);
    if (!id)
      throw new Problem("invalid_input", {
        field: at,
        message: sentences.api.noItem({ id: item.id }),
      });
    turns.extend("assistant", referenced(answers, id));
  }
}

type HostedItem = Extract<Item, { type: (typeof hostedCalls)[number] }>;
const isOfHostedTool = (item: Item): item is HostedItem =>
  (hostedCalls as readonly (string | undefined)[]).includes(item.type);

/**
 * Returns the parts behind an earlier answer's item. Reasoning returns with the first call after
 * it.
 */
function referenced(answers: EarlierAnswers, { kind, runId, place }: ItemId): StoredPart[] {
  if (kind === "msg") return textPart(answers.text(runId));
  return kind === "fc" ? answers.callAt(runId, place) : [];
}

async function itemParts(
  deps: ServerDeps,
  asking: Asking,
  content: Extract<Item, { role: string }>["content"],
  at: string,
): Promise<StoredPart[]> {
  if (typeof content === "string") return textPart(content);
  const parts: StoredPart[] = [];
  for (const [i, part] of content.entries()) {
    const field = `${at}.content.${i}`;
    if (part.type === "refusal") parts.push(...textPart(part.refusal));
    else if (part.type === "input_image")
      parts.push(await filePart(deps, asking, part.image_url, field, "picture"));
    else if (part.type === "input_audio")
      parts.push(await recordingPart(deps, asking, part.input_audio, field));
    else if (part.type === "input_file") {
      const source = part.file_data ?? part.file_url;
      if (!source)
        throw new Problem("invalid_input", {
          field,
          message: sentences.api.fileDataMissing,
        });
      parts.push(await filePart(deps, asking, source, field, part.filename));
    } else parts.push(...textPart(part.text));
  }
  return parts;
}
