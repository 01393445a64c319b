import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type ChatPart,
  type ChatTurn,
  type InputFile,
  type ModelCapabilities,
  ProviderError,
  type RunContext,
} from "../../adapter.ts";

/** A message of /api/chat: text with pictures as base64, or tool calls. */
export type OllamaMessage = {
  role: ChatTurn["role"];
  content: string;
  thinking?: string;
  images?: string[];
  tool_calls?: { id: string; function: { name: string; arguments: JsonObject } }[];
  tool_name?: string;
  tool_call_id?: string;
};

/** Formats that Ollama's image reader decodes (Go's decoders of PNG, JPEG and WebP). */
const imageTypes = new Set(["image/png", "image/jpeg", "image/webp"]);
const imageBytes = 50 * 1024 ** 2;
/** About 250,000 tokens, beyond which no local model reads. */
const textBytes = 1024 ** 2;

/**
 * Converts turns to Ollama's messages. A file that the model can't read becomes a warning; a
 * message left empty by that throws ProviderError before anything is sent. Thinking of earlier
 * answers is left out, because models expect their history without it, except thinking that led to
 * a call, which belongs to the continued answer.
 */
export async function toMessages(
  turns: readonly ChatTurn[],
  capabilities: ModelCapabilities,
  context: Pick<RunContext, "warn">,
): Promise<OllamaMessage[]> {
  const messages: OllamaMessage[] = [];
  for (const turn of turns) {
    if (turn.role === "tool") {
      messages.push(...turn.parts.flatMap(toToolMessage));
      continue;
    }
    const words: string[] = [];
    const images: string[] = [];
    for (const part of turn.parts) {
      if (part.type === "text" && part.text !== "") words.push(part.text);
      if (part.type === "file") await addFile(part.file, capabilities, context, { words, images });
    }
    const calls = turn.parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.callId, function: { name: part.name, arguments: part.input } }]
        : [],
    );
    if (words.length > 0 || images.length > 0 || calls.length > 0) {
      const called = calls.length > 0 && { ...thinkingOf(turn), tool_calls: calls };
      messages.push({
        role: turn.role,
        content: words.join("\n\n"),
        ...(images.length > 0 && { images }),
        ...called,
      });
    } else if (turn.role === "user" && turn.parts.length > 0) {
      const message = sentences.files.noneReadable;
      throw new ProviderError("provider_invalid_input", "no", { message });
    }
  }
  return messages;
}

/** Ollama's templates identify a result by the tool's name. */
function toToolMessage(part: ChatPart): OllamaMessage[] {
  if (part.type !== "tool-result") return [];
  const content = part.failed ? `The tool failed: ${part.output}` : part.output;
  return [{ role: "tool", content, tool_name: part.name, tool_call_id: part.callId }];
}

function thinkingOf(turn: ChatTurn): { thinking?: string } {
  const thinking = turn.parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  return thinking ? { thinking } : {};
}

async function addFile(
  file: InputFile,
  capabilities: ModelCapabilities,
  context: Pick<RunContext, "warn">,
  into: { words: string[]; images: string[] },
): Promise<void> {
  const leaveOut = (message: string) =>
    context.warn({ type: "unsupported", feature: file.mime, message });
  if (imageTypes.has(file.mime)) {
    if (capabilities.imageInput === false)
      leaveOut(sentences.files.picturesNotRead({ file: file.name }));
    else if (file.bytes > imageBytes) leaveOut(sentences.files.over50MB({ file: file.name }));
    else into.images.push((await readBytes(file, file.bytes)).toString("base64"));
  } else if (isText(file.mime)) {
    // If the text is cut within a character, the decoder holds the partial one back for more bytes,
    // which never arrive.
    const text = new TextDecoder().decode(await readBytes(file, textBytes), { stream: true });
    if (file.bytes > textBytes) {
      context.warn({
        type: "changed",
        feature: file.mime,
        message: sentences.files.shortened({ file: file.name }),
      });
    }
    // Longer than any fence in the text, so that the file can't end it.
    const fence = "`".repeat(
      Math.max(3, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length + 1)),
    );
    into.words.push(`${file.name}:\n${fence}\n${text}\n${fence}`);
  } else leaveOut(sentences.files.typeNotRead({ type: file.mime, file: file.name }));
}

const isText = (mime: string) =>
  mime.startsWith("text/") ||
  /^application\/((.+\+)?(json|xml)|(x-)?(yaml|toml|javascript|sh|sql))$/.test(mime);

async function readBytes(file: InputFile, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.open(
    file.bytes > most ? { start: 0, end: most - 1 } : undefined,
  ))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}
