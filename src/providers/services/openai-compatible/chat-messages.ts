import type {
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { reasoningExtras } from "./chat-reader.ts";
import type { Quirks } from "./quirks.ts";

type ContentPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } }
  | { type: "document_url"; document_url: string; document_name: string };

type ToolCallMessage = {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
};

/** A message of /chat/completions. */
export type ChatMessage =
  | { role: "system" | "user"; content: string | ContentPart[] }
  | {
      role: "assistant";
      content: string | null;
      tool_calls?: ToolCallMessage[];
      reasoning_content?: string;
      reasoning?: string;
    }
  | { role: "tool"; tool_call_id: string; content: string };

/**
 * Converts the prompt for the API: pictures and PDFs become data URLs, text alone a plain string.
 */
export function toMessages(
  prompt: LanguageModelV4Prompt,
  quirks: Pick<Quirks, "documentUrls" | "takesReasoningIn" | "callId"> = {},
): ChatMessage[] {
  const idOf = quirks.callId ?? ((id: string) => id);
  return prompt.flatMap((message): ChatMessage[] => {
    if (message.role === "system") return [{ role: "system", content: message.content }];
    if (message.role === "tool")
      return message.content.flatMap((part) => toToolMessage(part, idOf));
    if (message.role === "assistant") {
      const joinedText = message.content
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("");
      const calls = message.content.flatMap((part) =>
        part.type === "tool-call" ? [toToolCall(part, idOf)] : [],
      );
      // Calls without text have null content, because some servers refuse an empty string.
      return [
        {
          role: "assistant",
          content: joinedText || (calls.length > 0 ? null : ""),
          ...(calls.length > 0 && { tool_calls: calls }),
          ...toReasoning(message.content, quirks),
        },
      ];
    }
    const [first] = message.content;
    const plain = message.content.length === 1 && first?.type === "text" ? first.text : null;
    return [
      {
        role: "user",
        content: plain ?? message.content.flatMap((part) => toContentPart(part, quirks)),
      },
    ];
  });
}

const toToolCall = (
  part: LanguageModelV4ToolCallPart,
  idOf: (id: string) => string,
): ToolCallMessage => ({
  id: idOf(part.toolCallId),
  type: "function",
  function: { name: part.toolName, arguments: writtenOf(part) ?? JSON.stringify(part.input) },
});

/** Returns the exact text of a call's input, if JSON.stringify would write it differently. */
function writtenOf({ providerOptions }: LanguageModelV4ToolCallPart): string | undefined {
  const written = providerOptions?.bottega?.written;
  return typeof written === "string" ? written : undefined;
}

/** Returns the reasoning before a call, in the field it arrived in. */
function toReasoning(
  parts: Extract<LanguageModelV4Prompt[number], { role: "assistant" }>["content"],
  { takesReasoningIn }: Pick<Quirks, "takesReasoningIn">,
): { [field: string]: string } {
  const fields: { [field: string]: string } = {};
  for (const part of parts) {
    if (part.type !== "reasoning") continue;
    const field = part.providerOptions?.[reasoningExtras]?.field;
    if (field !== "reasoning_content" && field !== "reasoning") continue;
    if (takesReasoningIn !== undefined && field !== takesReasoningIn) continue;
    fields[field] = `${fields[field] ?? ""}${part.text}`;
  }
  return fields;
}

function toToolMessage(
  part: { type: string } | LanguageModelV4ToolResultPart,
  idOf: (id: string) => string,
): ChatMessage[] {
  if (!("output" in part) || (part.output.type !== "text" && part.output.type !== "error-text"))
    return [];
  return [{ role: "tool", tool_call_id: idOf(part.toolCallId), content: part.output.value }];
}

function toContentPart(
  part: LanguageModelV4TextPart | LanguageModelV4FilePart,
  quirks: Pick<Quirks, "documentUrls">,
): ContentPart[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.data.type !== "data" || typeof part.data.data !== "string") return [];
  const url = `data:${part.mediaType};base64,${part.data.data}`;
  const isPdf = part.mediaType === "application/pdf";
  if (isPdf && quirks.documentUrls)
    return [
      { type: "document_url", document_url: url, document_name: part.filename ?? "document.pdf" },
    ];
  if (isPdf)
    return [{ type: "file", file: { filename: part.filename ?? "document.pdf", file_data: url } }];
  return [{ type: "image_url", image_url: { url } }];
}
