import type { LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  type CallContext,
  type ModelPrice,
  type ProducedFile,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import type { ReadTool } from "../../ai-sdk/language.ts";
import { isId, leftBefore } from "../../ai-sdk/left-at-provider.ts";
import { createRecords, outputParts, programPart, shortened } from "../../ai-sdk/ran-code.ts";
import { baseUrl, keyOf } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { openSigned, withHeaders } from "../../wire/open-file.ts";
import { textOf } from "../../wire/values.ts";
import { api, sign } from "./access.ts";

/**
 * Claude's programs run at Anthropic
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool).
 */
export const codeTool: LanguageModelV4ProviderTool = {
  type: "provider",
  id: "anthropic.code_execution_20250825",
  name: "code_execution",
  args: {},
};

/** The minimum that is billed, which counts as one session here. */
const sessionMs = 5 * 60_000;

/**
 * $0.05 per container hour, with a minimum of five minutes. An organization's first 1,550 hours of
 * a month are free, but no response says so; all sessions are counted.
 */
export const sessionPrice: ModelPrice = {
  unit: "code session",
  micros: "4167",
  source: "Anthropic's price page",
  at: Date.UTC(2026, 10, 27),
};

/** The Files API reads the files that programs made. */
const filesBeta = { "anthropic-beta": "files-api-2025-04-14" };

type Call = { id: string; input: JsonObject; at: number };
type Container = { id: string; expiresAt: number };

/**
 * Reads the code execution of one answer: its programs, their output and files, and the container
 * for the next question.
 */
export function createCodeReader(context: RunContext) {
  const open = new Map<string, Call>();
  const files = new Set<string>();
  const toRecord = createRecords();
  let ranMs = 0;
  let sessions = 0;
  let container: Container | undefined;

  /**
   * Counts the sessions started since the last call: execution is billed by time, which no response
   * reports.
   */
  function count(): { used: "code sessions"; times: number } {
    const begun = Math.max(1, Math.ceil(ranMs / sessionMs));
    const times = begun - sessions;
    sessions = begun;
    return { used: "code sessions", times };
  }

  const readTool: ReadTool = (part) => {
    if (part.type === "source" || part.toolName !== codeTool.name) return undefined;
    if (part.type === "tool-call") {
      const input = readInput(part.input);
      open.set(part.toolCallId, { id: part.toolCallId, input, at: context.clock.now() });
      return { ...count(), parts: programOf(input) };
    }
    const call = open.get(part.toolCallId);
    if (!call || !isRecord(part.result)) return {};
    open.delete(call.id);
    ranMs += Math.max(0, context.clock.now() - call.at);
    const result = part.result as JsonObject;
    const made = filesIn(result).filter((id) => !files.has(id));
    for (const id of made) files.add(id);
    return {
      ...count(),
      parts: [
        ...outputOf(result),
        ...made.map((id): AnswerPart => ({ type: "file", output: fileOf(context, id) })),
        ...toRecord({ id: call.id, input: call.input }, trimmed(result)),
      ],
    };
  };

  return {
    readTool,
    onRaw(event: unknown): void {
      const { message, delta } = isRecord(event) ? event : {};
      container = containerOf(message) ?? containerOf(delta) ?? container;
      if (isRecord(delta) && delta.stop_reason === "pause_turn")
        context.warn({
          type: "note",
          feature: "codeInterpreter",
          message: sentences.answers.claudePaused,
        });
    },
    /** Returns the container as the answer's last record. */
    containerPart: (): AnswerPart[] =>
      container ? [{ type: "tool-record", data: { container } }] : [],
  };
}

/**
 * Returns the container of the newest answer that had one, unless it has expired, so that its
 * content can be used again.
 */
export const containerIn = (
  { turns }: Pick<RunRequest, "turns">,
  now: number,
): string | undefined => leftBefore(turns, "container", now)?.id as string | undefined;

/**
 * The container is gone early or belongs to another key. The API may also report this with a 500
 * that doesn't name it (https://github.com/pydantic/pydantic-ai/issues/7833), after which the
 * person's own retry is sent without the container.
 */
export const isContainerGone = ({ detail }: ProviderError): boolean =>
  [400, 404].includes(detail.httpStatus ?? 0) && /container/i.test(detail.providerMessage ?? "");

/**
 * Returns the part with the file's name at Anthropic. If the name can't be read, the file keeps its
 * id as name.
 */
export async function withFileName(part: AnswerPart, context: CallContext): Promise<AnswerPart> {
  if (part.type !== "file" || !("url" in part.output)) return part;
  const path = part.output.url.slice(baseUrl(context).length).replace(/\/content$/, "");
  try {
    const { filename } = await api.callObject(context, path, { headers: filesBeta });
    const name = textOf(filename);
    return name ? { ...part, output: { ...part.output, name } } : part;
  } catch (error) {
    if (error instanceof ProviderError) return part;
    throw error;
  }
}

/** Opens a file that a program made. The key goes only to the connection's own address. */
export const openFile = (url: string, context: CallContext): AsyncIterable<Uint8Array> =>
  openSigned(url, context, async () =>
    url.startsWith(`${baseUrl(context)}/`)
      ? withHeaders(context.fetch, { ...sign(keyOf(context)), ...filesBeta })
      : context.fetch,
  );

/** Named by its id until Anthropic's name is known. */
const fileOf = (context: CallContext, id: string): ProducedFile => ({
  name: id,
  url: `${baseUrl(context)}/files/${id}/content`,
  needsKey: true,
});

function containerOf(of: unknown): Container | undefined {
  const { container } = isRecord(of) ? of : {};
  if (!isRecord(container) || !isId(container.id)) return undefined;
  const expiresAt = Date.parse(String(container.expires_at));
  return Number.isFinite(expiresAt) ? { id: container.id, expiresAt } : undefined;
}

/** The client distinguishes the tool's two parts: a shell, and a file editor. */
function readInput(text: string): JsonObject {
  try {
    const input: unknown = JSON.parse(text);
    if (!isRecord(input)) return {};
    const type = "path" in input ? "text_editor_code_execution" : "bash_code_execution";
    return { type, ...(input as JsonObject) };
  } catch {
    return {};
  }
}

function programOf({ type, command, path, file_text, new_str }: JsonObject): AnswerPart[] {
  if (type === "bash_code_execution") return programPart(String(command ?? ""), "bash");
  const written = [file_text, new_str].find((text) => typeof text === "string");
  return programPart(
    [`# ${String(command)} ${String(path)}`, written ?? ""].join("\n").trim(),
    "text",
  );
}

function outputOf(result: JsonObject): AnswerPart[] {
  const { error_code, stdout, stderr, return_code } = result;
  if (typeof error_code === "string") return outputParts("", error_code.replaceAll("_", " "));
  const printed = [stdout, stderr].filter((text) => typeof text === "string" && text !== "");
  const failed = typeof return_code === "number" && return_code !== 0;
  return outputParts(printed.join("\n"), failed ? `exit code ${return_code}` : null);
}

const filesIn = ({ content }: JsonObject): string[] =>
  (Array.isArray(content) ? content : []).flatMap((one) =>
    isRecord(one) && isId(one.file_id) ? [one.file_id] : [],
  );

const trimmed = (result: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      typeof value === "string" ? shortened(value) : value,
    ]),
  );
