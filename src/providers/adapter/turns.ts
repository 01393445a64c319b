import type { JsonObject, JsonSchema } from "#contract/json.ts";

/** An input file from our own store, which can be opened repeatedly. */
export type InputFile = {
  assetId: string;
  sha256: string;
  mime: string;
  bytes: number;
  name: string;
  width: number | null;
  height: number | null;
  open(range?: { start: number; end: number }): Promise<AsyncIterable<Uint8Array>>;
};

/**
 * Data that a provider expects back with its part, such as a reasoning signature. Only its own kind
 * reads it.
 */
export type ProviderExtras = { providerMetadata?: Record<string, JsonObject> };

/**
 * A model's request to use a tool. `input` isn't validated against the tool's schema yet. If the
 * model's text isn't a JSON object, `input` is empty and the text is in `malformed`. `written` is
 * the original text of an object that JSON.stringify would write differently: with other spaces, or
 * with integers that a number can't hold.
 */
export type ToolCall = {
  type: "tool-call";
  callId: string;
  name: string;
  input: JsonObject;
  malformed?: string;
  written?: string;
} & ProviderExtras;

/**
 * The next part of a call's arguments, as the model writes them. The `tool-call` with all of them
 * follows, and its `written` or `malformed` text begins with the pieces. `place` is the call's index
 * among the answer's calls: they end in the order in which they begin.
 */
export type ToolCallPiece = { type: "tool-call-piece"; place: number; name: string; text: string };

/** A tool's result, as text for the model. */
type ToolResult = {
  type: "tool-result";
  callId: string;
  name: string;
  output: string;
  failed?: boolean;
};

/**
 * A record of the provider's own tools in an answer, in the adapter's format. The next question
 * over the same connection sends it back, so that the model knows which tools ran.
 */
export type ToolRecord = { type: "tool-record"; data: JsonObject };

export type ChatPart =
  | { type: "text"; text: string }
  | ({ type: "reasoning"; text: string } & ProviderExtras)
  | { type: "file"; file: InputFile }
  | ToolCall
  | ToolResult
  | ToolRecord;

/** A "tool" turn contains only the results of the calls in the assistant's turn before it. */
export type ChatTurn = { role: "system" | "user" | "assistant" | "tool"; parts: ChatPart[] };

/**
 * A tool that the model may call. `strict`: whether the provider enforces the input's schema, if a
 * program sets it. `isStrictUnsaid`: the program left it to an API that enforces schemas by default.
 */
export type ToolDefinition = {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  strict?: boolean;
  isStrictUnsaid?: boolean;
};

export type ToolChoice = "auto" | "none" | "required" | { name: string };

/**
 * The required form of an answer. `strict`: whether the provider enforces the schema; the provider's
 * own default if a program left it out. `isAnyObject`: the schema accepts any object, for which some providers have a mode of their
 * own.
 */
export type AnswerShape = {
  name: string;
  schema: JsonSchema;
  strict?: boolean;
  isAnyObject?: true;
};

/** A question of only text and tool calls, in the form of Anthropic's Messages. */
export type PlainQuestion = {
  messages: { role: "user" | "assistant"; content: string | PlainBlock[] }[];
  system?: string;
  tools?: { name: string; description?: string; input_schema: JsonObject }[];
  tool_choice?: JsonObject;
};

export type PlainBlock =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: JsonObject }
  | { type: "tool_result"; tool_use_id: string; content: string | PlainBlock[] };
