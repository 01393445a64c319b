import type {
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isHeicType } from "#domain/files/heic.ts";
import {
  type ChatPart,
  type ChatTurn,
  type InputFile,
  type ModelCapabilities,
  ProviderError,
  type RunContext,
  type ToolCall,
} from "../adapter.ts";
import { exactInput } from "./tool-call.ts";

/** Formats that every service decodes. Most refuse others (HEIC, TIFF, SVG). */
const imageTypes = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);
/** OpenAI's limit for one picture; base64 makes it a third larger on the wire. */
const imageBytes = 20 * 1024 ** 2;
/** OpenAI's limit for one PDF. */
const pdfBytes = 50 * 1024 ** 2;
/**
 * For a recording or a video: as base64 it stays below the 100 MB that Gemini accepts in one
 * request.
 */
const mediaBytes = 64 * 1024 ** 2;
/** About 250,000 tokens, beyond which hardly any model reads. */
const textBytes = 1024 ** 2;

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/**
 * Converts turns to the neutral form of the AI SDK's provider specification (only its types), which
 * each kind of chat then writes in its own way. A file that the model can't read becomes a warning;
 * a message left empty by that throws `provider_invalid_input` before anything is sent. Reasoning
 * of earlier answers is left out, because models expect their history without it. With `documents`,
 * a text file stays a file, for a provider that cites it.
 */
export async function toPrompt(
  turns: readonly ChatTurn[],
  capabilities: ModelCapabilities,
  context: Pick<RunContext, "warn">,
  options: {
    documents?: boolean;
    foldsLateInstructions?: boolean;
    openRecord?: OpenRecord;
  } = {},
): Promise<LanguageModelV4Prompt> {
  const prompt: LanguageModelV4Prompt = [];
  for (const turn of options.foldsLateInstructions ? foldInstructions(turns) : turns) {
    const words = turn.parts.flatMap((part) =>
      part.type === "text" && part.text !== "" ? [part.text] : [],
    );
    if (turn.role === "system") {
      if (words.length > 0) prompt.push({ role: "system", content: words.join("\n\n") });
      continue;
    }
    if (turn.role === "tool") {
      prompt.push({ role: "tool", content: turn.parts.flatMap(toToolResult) });
      continue;
    }
    if (turn.role === "assistant") {
      const content = toAssistantContent(turn, words.join(""), context, options.openRecord);
      if (content.length > 0) prompt.push({ role: "assistant", content });
      continue;
    }
    const content: UserPart[] = [];
    for (const part of turn.parts) {
      if (part.type === "text" && part.text !== "") content.push({ type: "text", text: part.text });
      if (part.type === "file") {
        const read = await toFilePart(
          part.file,
          capabilities,
          options.documents === true && words.length > 0,
        );
        if ("unreadable" in read)
          context.warn({ type: "unsupported", feature: part.file.mime, message: read.unreadable });
        else {
          if (read.cut)
            context.warn({
              type: "changed",
              feature: part.file.mime,
              message: sentences.files.shortened({ file: part.file.name }),
            });
          content.push(read.part);
        }
      }
    }
    if (content.length === 0 && turn.parts.length > 0) {
      throw new ProviderError("provider_invalid_input", "no", {
        message: sentences.files.noneReadable,
      });
    }
    if (content.length > 0) prompt.push({ role: "user", content: joinText(content) });
  }
  return prompt;
}

/**
 * Turns instructions after the first question into text of the user turn that follows, or of an
 * added one at the end, for APIs that accept instructions only before the conversation.
 */
function foldInstructions(turns: readonly ChatTurn[]): ChatTurn[] {
  const first = turns.findIndex(({ role }) => role !== "system");
  const folded: ChatTurn[] = turns.slice(0, first < 0 ? turns.length : first);
  let waiting: ChatPart[] = [];
  const say = (): void => {
    if (waiting.length > 0) folded.push({ role: "user", parts: waiting });
    waiting = [];
  };
  for (const turn of first < 0 ? [] : turns.slice(first)) {
    if (turn.role === "system")
      waiting.push(
        ...turn.parts.flatMap((part): ChatPart[] =>
          part.type === "text" && part.text !== ""
            ? [{ type: "text", text: `<system>\n${part.text}\n</system>` }]
            : [],
        ),
      );
    // Nothing may come between calls and their results.
    else if (turn.role === "tool") folded.push(turn);
    else if (turn.role === "user") {
      folded.push({ role: "user", parts: [...waiting, ...turn.parts] });
      waiting = [];
    } else {
      say();
      folded.push(turn);
    }
  }
  say();
  return folded;
}

type AssistantPart = Extract<
  LanguageModelV4Prompt[number],
  { role: "assistant" }
>["content"][number];

/** Converts the record of a provider's own tools to the form its client sends back. */
export type OpenRecord = (data: JsonObject) => AssistantPart[];

/**
 * Returns the turn's text and tool calls. Reasoning is sent back only with calls, and only if the
 * provider signed it.
 */
function toAssistantContent(
  turn: ChatTurn,
  words: string,
  context: Pick<RunContext, "warn">,
  openRecord: OpenRecord = () => [],
): AssistantPart[] {
  if (turn.parts.some((part) => part.type === "file")) {
    context.warn({
      type: "unsupported",
      feature: "files in answers",
      message: sentences.files.ofEarlierAnswers,
    });
  }
  const calls = turn.parts.filter((part) => part.type === "tool-call");
  const signed =
    calls.length > 0
      ? turn.parts.filter((part) => part.type === "reasoning" && part.providerMetadata)
      : [];
  return [
    ...signed.flatMap((part) =>
      part.type === "reasoning"
        ? [{ type: "reasoning" as const, text: part.text, ...returned(part) }]
        : [],
    ),
    ...turn.parts.flatMap((part) => (part.type === "tool-record" ? openRecord(part.data) : [])),
    ...(words ? [{ type: "text" as const, text: words }] : []),
    ...calls.map((call) => ({
      type: "tool-call" as const,
      toolCallId: call.callId,
      toolName: call.name,
      input: exactInput(call),
      ...returnedCall(call),
    })),
  ];
}

const returned = ({ providerMetadata }: Pick<ToolCall, "providerMetadata">) =>
  providerMetadata ? { providerOptions: providerMetadata } : {};

/** Stored under our own name, for APIs that take a call's input as text. */
const returnedCall = ({ providerMetadata, malformed, written }: ToolCall) => {
  const text = malformed ?? written;
  return returned({
    providerMetadata:
      text === undefined ? providerMetadata : { ...providerMetadata, bottega: { written: text } },
  });
};

function toToolResult(part: ChatPart): LanguageModelV4ToolResultPart[] {
  if (part.type !== "tool-result") return [];
  const output = {
    type: part.failed ? ("error-text" as const) : ("text" as const),
    value: part.output,
  };
  return [{ type: "tool-result", toolCallId: part.callId, toolName: part.name, output }];
}

type ReadFile = { part: UserPart; cut?: boolean } | { unreadable: string };

const wholeFile = async (file: InputFile): Promise<UserPart> => ({
  type: "file",
  mediaType: file.mime,
  data: { type: "data", data: await readBase64(file) },
  filename: file.name,
});

async function toFilePart(
  file: InputFile,
  capabilities: ModelCapabilities,
  isDocument: boolean,
): Promise<ReadFile> {
  const isPhoto = isHeicType(file.mime);
  if (isPhoto && capabilities.heicInput !== true)
    return { unreadable: sentences.files.heicNotRead({ file: file.name }) };
  if (isPhoto || imageTypes.has(file.mime)) {
    // Only an explicit "no" from the server excludes pictures, because most servers don't describe
    // their models.
    if (capabilities.imageInput === false)
      return { unreadable: sentences.files.picturesNotRead({ file: file.name }) };
    if (file.bytes > imageBytes)
      return { unreadable: sentences.files.over20MB({ file: file.name }) };
    return { part: await wholeFile(file) };
  }
  if (file.mime === "application/pdf") {
    if (capabilities.pdfInput !== true)
      return { unreadable: sentences.files.pdfNotRead({ file: file.name }) };
    if (file.bytes > pdfBytes) return { unreadable: sentences.files.over50MB({ file: file.name }) };
    return { part: await wholeFile(file) };
  }
  const media = /^(audio|video)\//.exec(file.mime)?.[1];
  if (media) {
    const reads = media === "audio" ? capabilities.audioInput : capabilities.videoInput;
    const what = media === "audio" ? "listen to recordings" : "watch videos";
    if (reads !== true)
      return { unreadable: sentences.files.notKnownTo({ ability: what, file: file.name }) };
    if (file.bytes > mediaBytes)
      return { unreadable: sentences.files.over64MB({ file: file.name }) };
    return { part: await wholeFile(file) };
  }
  if (isText(file.mime)) {
    const bytes = await readBytes(file, textBytes);
    const text = decodeText(bytes);
    const cut = file.bytes > textBytes;
    if (isDocument)
      return {
        part: {
          type: "file",
          mediaType: "text/plain",
          data: { type: "text", text },
          filename: file.name,
        },
        cut,
      };
    // A fence longer than any in the text separates the file from the text around it.
    const fence = "`".repeat(
      Math.max(3, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length + 1)),
    );
    return { part: { type: "text", text: `${file.name}:\n${fence}\n${text}\n${fence}` }, cut };
  }
  return {
    unreadable: sentences.files.typeNotRead({ type: file.mime, file: file.name }),
  };
}

const isText = (mime: string) =>
  mime.startsWith("text/") ||
  /^application\/((.+\+)?(json|xml)|(x-)?(yaml|toml|javascript|typescript|sh|sql)|x-ndjson|jsonl)$/.test(
    mime,
  );

/**
 * Decodes UTF-8, or UTF-16 if there is a byte order mark. A character cut off at the end is
 * dropped.
 */
function decodeText(bytes: Buffer): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

async function readBytes(file: InputFile, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await file.open()) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

const readBase64 = async (file: InputFile) =>
  (await readBytes(file, Number.POSITIVE_INFINITY)).toString("base64");

/** Joins adjacent texts, because many servers accept only a plain string. */
function joinText(parts: UserPart[]): UserPart[] {
  const joined: UserPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") last.text = `${last.text}\n\n${part.text}`;
    else joined.push({ ...part });
  }
  return joined;
}
