import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { cleanText } from "#contract/entities.ts";
import type { Json, JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { expansionOf, schemaStepsMost } from "#domain/schemas/schema-expansion.ts";
import type { ModelFacts, ProducedFile } from "../../adapter.ts";

const maxDescription = 4_000;
/** The longest model id; ids appear in URLs and messages. */
const maxId = 128;
const maxDepth = 30;

export type ToolList = {
  offered: Tool[];
  /** Why the others are left out, in one sentence; empty when all are offered. */
  leftOut: string;
};

/** Selects the tools of a server's list that can be offered to a model. */
export function sortTools(tools: readonly Tool[]): ToolList {
  const read = tools.slice(0, limits.toolsRead);
  const direct = read.filter(({ execution }) => execution?.taskSupport !== "required");
  const readable = direct.filter(
    ({ name, inputSchema }) => name !== "" && name.length <= maxId && isReadable(inputSchema),
  );
  const offered = readable.slice(0, limits.toolsPerServer);
  const asTasks = read.length - direct.length;
  const tooLong = direct.length - readable.length;
  const tooMany = readable.length - offered.length + (tools.length - read.length);
  const reasons = [
    asTasks > 0 && `${asTasks} that run as tasks only`,
    tooLong > 0 && `${tooLong} with a form that is too long or too deep`,
    tooMany > 0 && `${tooMany} beyond the first ${limits.toolsPerServer}`,
  ].filter(Boolean);
  return {
    offered,
    leftOut: reasons.length > 0 ? sentences.tools.leftOut({ tools: reasons.join(", ") }) : "",
  };
}

const isReadable = (schema: unknown): boolean => {
  const text = JSON.stringify(schema);
  return (
    text.length <= limits.toolSchemaCharacters &&
    depthOf(text) <= maxDepth &&
    isEndingSoon(schema as JsonSchema)
  );
};

function isEndingSoon(schema: JsonSchema): boolean {
  try {
    return expansionOf(schema) <= schemaStepsMost;
  } catch {
    return false;
  }
}

/** Counts the depth of JSON without recursion; brackets in text only make it look deeper. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === "{" || character === "[") most = Math.max(most, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return most;
}

export const toModel = (tool: Tool, at: number): ModelFacts => ({
  id: cleanText(tool.name),
  name: cleanText(tool.title || tool.annotations?.title || tool.name).slice(
    0,
    limits.nameCharacters,
  ),
  description: cleanText(tool.description ?? "").slice(0, maxDescription),
  tasks: ["tool"],
  inputModalities: ["text"],
  outputModalities: ["text", "file"],
  inputSchema: withoutPatterns(tool.inputSchema as JsonObject) as JsonSchema,
  capabilities: { readOnly: tool.annotations?.readOnlyHint === true },
  limits: {},
  price: { unit: "request", micros: "0", source: "mcp", at },
  status: "active",
});

/**
 * Removes patterns, because a foreign regular expression could block the whole process; the server
 * validates its own inputs.
 */
function withoutPatterns(value: Json): Json {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, part]) =>
      !(name === "pattern" && typeof part === "string") && name !== "patternProperties",
  );
  return Object.fromEntries(kept.map(([name, part]) => [cleanText(name), withoutPatterns(part)]));
}

export type ToolAnswer = { text: string; isError: boolean; files: ProducedFile[] };
type Block = CallToolResult["content"][number];

/**
 * Converts a result for models and people. It is untrusted data: its links are shown and not
 * followed, its pictures are saved as files.
 */
export function readResult(
  { content, structuredContent, isError }: CallToolResult,
  tool: string,
): ToolAnswer {
  const blocks: readonly Block[] = content ?? [];
  const files = blocks.flatMap((block, index) => toFile(block, `${tool}-${index + 1}`));
  const texts = blocks.map(toWords).filter((text) => text !== "");
  if (texts.length === 0 && structuredContent !== undefined)
    texts.push(JSON.stringify(structuredContent));
  if (texts.length === 0 && files.length > 0)
    texts.push(`[Files without text: ${files.map(nameWithType).join(", ")}]`);
  const left = files.length - limits.filesPerToolResult;
  if (left > 0) texts.push(`[${left} more files came, which were not kept.]`);
  return {
    text: cut(cleanText(texts.join("\n\n"))),
    isError: isError === true,
    files: files.slice(0, limits.filesPerToolResult),
  };
}

const nameWithType = ({ name, mime }: ProducedFile): string => (mime ? `${name} (${mime})` : name);

function cut(text: string): string {
  const most = limits.toolOutputCharacters;
  if (text.length <= most) return text;
  const note = `\n[Cut here: it was ${text.length} characters long.]`;
  return text.slice(0, most - note.length) + note;
}

function toWords(block: Block): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return `[A link to ${block.name}: ${block.uri}]`;
  if (block.type === "resource" && "text" in block.resource)
    return `${block.resource.uri}:\n${block.resource.text}`;
  return "";
}

function toFile(block: Block, name: string): ProducedFile[] {
  if (block.type === "image" || block.type === "audio")
    return [bytesOf(name, block.data, block.mimeType)];
  if (block.type === "resource" && "blob" in block.resource)
    return [bytesOf(name, block.resource.blob, block.resource.mimeType)];
  return [];
}

const bytesOf = (name: string, base64: string, mime: string | undefined): ProducedFile => ({
  name: cleanText(name),
  ...(mime && /^[\w.+-]+\/[\w.+-]+$/.test(mime) && { mime }),
  bytes: Buffer.from(base64, "base64"),
});

/** Returns the part of a result stored in addition to its files. */
export const toRunResult = ({ text, isError }: ToolAnswer): JsonObject => ({ text, isError });
