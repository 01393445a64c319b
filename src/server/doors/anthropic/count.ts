import type { MessageQuestion } from "#contract/schemas/doors/anthropic.ts";
import { tokensOfFile, tokensOfText, tokensPerMessage } from "#domain/text/context.ts";
import type { ServerDeps } from "../../deps.ts";
import { findChatModel } from "../programs/ask.ts";
import type { Asking } from "../programs/follow.ts";
import { wordsOf } from "./turns.ts";

type Content = MessageQuestion["messages"][number]["content"];

/**
 * POST /v1/messages/count_tokens: an estimate, by the rule that prices and holds use. Nothing is sent and nothing is kept; a picture
 * counts as one of unknown size, a PDF not at all, as its pages are not read.
 */
export async function countMessageTokens(
  deps: ServerDeps,
  asking: Asking,
  { model, messages, system, tools }: MessageQuestion,
): Promise<{ input_tokens: number }> {
  await findChatModel(deps, asking, model);
  const counts = [
    ...(system ? [tokensOfText(wordsOf(system)) + tokensPerMessage] : []),
    ...messages.map(({ content }) => tokensOf(content) + tokensPerMessage),
    ...(tools ?? []).map((tool) => tokensOfText(JSON.stringify(tool))),
  ];
  return { input_tokens: counts.reduce((sum, count) => sum + count, 0) };
}

const unknownPicture = tokensOfFile({ mime: "image/*", bytes: 0, width: null, height: null }) ?? 0;

function tokensOf(content: Content): number {
  if (typeof content === "string") return tokensOfText(content);
  return content.reduce((sum, block) => sum + tokensOfBlock(block), 0);
}

function tokensOfBlock(block: Exclude<Content, string>[number]): number {
  switch (block.type) {
    case "text":
      return tokensOfText(block.text);
    case "image":
      return unknownPicture;
    case "document":
      if (block.source.type === "text") return tokensOfText(block.source.data);
      return block.source.type === "content" ? tokensOfText(wordsOf(block.source.content)) : 0;
    case "tool_use":
      return tokensOfText(block.name + JSON.stringify(block.input));
    case "tool_result":
      return block.content ? tokensOf(block.content) : 0;
    case "search_result":
      return tokensOfText(block.title + wordsOf(block.content));
    default:
      return 0;
  }
}
