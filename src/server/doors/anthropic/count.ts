import type { JsonObject } from "#contract/json.ts";
import type { MessageQuestion } from "#contract/schemas/doors/anthropic.ts";
import { sentences } from "#contract/sentences/index.ts";
import { tokensOfFile, tokensOfText, tokensPerMessage } from "#domain/text/context.ts";
import {
  countTokens,
  type PlainBlock,
  type PlainQuestion,
} from "#engine/connections/count-tokens.ts";
import type { ServerDeps } from "../../deps.ts";
import { findChatModel } from "../programs/ask.ts";
import type { Asking } from "../programs/follow.ts";
import { isHosted, plainTextOf } from "./turns.ts";

type Content = MessageQuestion["messages"][number]["content"];
type TurnBlock = Exclude<Content, string>[number];
type ResultBlock = Exclude<
  NonNullable<Extract<TurnBlock, { type: "tool_result" }>["content"]>,
  string
>[number];
type Block = TurnBlock | ResultBlock;

/**
 * POST /v1/messages/count_tokens: the provider's own count if it has one and there are no files;
 * otherwise an estimate, by the rule for prices and reservations. Nothing is saved. A picture
 * counts as one of unknown size, and a PDF not at all, because its pages aren't read.
 */
export async function countMessageTokens(
  deps: ServerDeps,
  asking: Asking,
  question: MessageQuestion,
): Promise<{ input_tokens: number }> {
  const { messages, system, tools } = question;
  const model = await findChatModel(deps, asking, question.model);
  const plain = plainQuestion(question);
  const counted = plain && (await countTokens(deps, model, plain, asking.gone));
  if (typeof counted === "number") return { input_tokens: counted };
  const counts = [
    ...(system ? [tokensOfText(plainTextOf(system)) + tokensPerMessage] : []),
    ...messages.map(({ content }) => tokensOf(content) + tokensPerMessage),
    ...(tools ?? []).map((tool) => tokensOfText(JSON.stringify(tool))),
  ];
  return { input_tokens: counts.reduce((sum, count) => sum + count, 0) };
}

/**
 * Converts a question to the form that providers count; undefined when it contains more than text
 * and calls.
 */
function plainQuestion({
  messages,
  system,
  tools,
  tool_choice: choice,
}: MessageQuestion): PlainQuestion | undefined {
  const plain: PlainQuestion["messages"] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? content : plainBlocks(content);
    if (role === "system" || !blocks) return undefined;
    if (blocks.length > 0) plain.push({ role, content: blocks });
  }
  const own = (tools ?? []).flatMap((tool) =>
    "input_schema" in tool
      ? [
          {
            name: tool.name,
            ...(tool.description && { description: tool.description }),
            input_schema: tool.input_schema as JsonObject,
          },
        ]
      : [],
  );
  return {
    messages: plain,
    ...(system && { system: plainTextOf(system) }),
    ...(own.length > 0 && { tools: own, ...(choice && { tool_choice: choice as JsonObject }) }),
  };
}

/** Thinking and hosted tools of earlier turns aren't counted, because they aren't sent again. */
function plainBlocks(blocks: readonly Block[]): PlainBlock[] | undefined {
  const plain: PlainBlock[] = [];
  for (const block of blocks) {
    if (isHosted(block)) continue;
    switch (block.type) {
      case "text":
        if (block.text !== "") plain.push({ type: "text", text: block.text });
        break;
      case "tool_use":
        plain.push({
          type: "tool_use",
          id: block.id,
          name: block.name,
          input: block.input as JsonObject,
        });
        break;
      case "tool_result": {
        const { content: given = "" } = block;
        const content = typeof given === "string" ? given : given && plainBlocks(given);
        if (content === undefined) return undefined;
        plain.push({ type: "tool_result", tool_use_id: block.tool_use_id, content: content ?? "" });
        break;
      }
      case "tool_reference":
        plain.push({ type: "text", text: sentences.api.toolFound({ name: block.tool_name }) });
        break;
      case "thinking":
      case "redacted_thinking":
        break;
      default:
        return undefined;
    }
  }
  return plain;
}

const unknownPicture = tokensOfFile({ mime: "image/*", bytes: 0, width: null, height: null }) ?? 0;

function tokensOf(content: string | readonly Block[]): number {
  if (typeof content === "string") return tokensOfText(content);
  return content.reduce((sum, block) => sum + tokensOfBlock(block), 0);
}

function tokensOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return tokensOfText(block.text);
    case "image":
      return unknownPicture;
    case "document":
      if (block.source.type === "text") return tokensOfText(block.source.data);
      return block.source.type === "content" ? tokensOfText(plainTextOf(block.source.content)) : 0;
    case "tool_use":
      return tokensOfText(block.name + JSON.stringify(block.input));
    case "tool_result":
      return block.content ? tokensOf(block.content) : 0;
    case "tool_reference":
      return tokensOfText(sentences.api.toolFound({ name: block.tool_name }));
    case "search_result":
      return tokensOfText(block.title + plainTextOf(block.content));
    default:
      return 0;
  }
}
