import type { LanguageModelV4FilePart, LanguageModelV4Prompt, LanguageModelV4TextPart } from "@ai-sdk/provider";

type ContentPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** A message of /chat/completions. */
export type ChatMessage = { role: "system" | "user" | "assistant"; content: string | ContentPart[] };

/** The prompt as the API takes it: pictures and PDF as data URLs, text alone as a plain string. */
export function toMessages(prompt: LanguageModelV4Prompt): ChatMessage[] {
  return prompt.flatMap((message): ChatMessage[] => {
    if (message.role === "system") return [{ role: "system", content: message.content }];
    if (message.role === "assistant") {
      return [{ role: "assistant", content: message.content.map((part) => (part.type === "text" ? part.text : "")).join("") }];
    }
    if (message.role !== "user") return [];
    const [first] = message.content;
    const plain = message.content.length === 1 && first?.type === "text" ? first.text : null;
    return [{ role: "user", content: plain ?? message.content.flatMap(toContentPart) }];
  });
}

function toContentPart(part: LanguageModelV4TextPart | LanguageModelV4FilePart): ContentPart[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.data.type !== "data" || typeof part.data.data !== "string") return [];
  const url = `data:${part.mediaType};base64,${part.data.data}`;
  if (part.mediaType === "application/pdf") return [{ type: "file", file: { filename: part.filename ?? "document.pdf", file_data: url } }];
  return [{ type: "image_url", image_url: { url } }];
}
