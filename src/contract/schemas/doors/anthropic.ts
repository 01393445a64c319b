import { z } from "zod";
import { text } from "../../entities.ts";
import { limits } from "../../limits.ts";
import { fieldsOf, open } from "./further-fields.ts";

const model = z.string().min(1, "The model is missing. Name it as “connection/model”.").max(600);
const words = text(limits.apiTextCharacters);
const jsonObject = z.record(z.string(), z.unknown());
const id = z.string().max(200);

/** Prompts are cached anyway, wherever the service does. */
const marks = {
  cache_control: z.looseObject({ ttl: z.string().max(20).nullish() }).nullish(),
};
const textBlock = open(z.object({ type: z.literal("text"), text: words, ...marks }));
const base64 = open(
  z.object({
    type: z.literal("base64"),
    media_type: z.string().max(200),
    data: z.string().max(limits.apiBodyBytes),
  }),
);
const address = open(
  z.object({ type: z.literal("url"), url: z.string().max(limits.apiBodyBytes) }),
);
/** Names the missing form, and not only the others. */
const sourceError = {
  error: ({ input }: { input?: unknown }) =>
    (input as { type?: unknown } | undefined)?.type === "file"
      ? "There are no files by ID. Send the file as base64 or as a URL."
      : undefined,
};
const imageBlock = open(
  z.object({
    type: z.literal("image"),
    source: z.discriminatedUnion("type", [base64, address], sourceError),
    ...marks,
  }),
);
const plainText = open(
  z.object({
    type: z.literal("text"),
    media_type: z.string().max(200).optional(),
    data: words,
  }),
);
const ownContent = open(
  z.object({ type: z.literal("content"), content: z.union([words, z.array(textBlock)]) }),
);
const citations = z.object({ enabled: z.boolean().nullish() }).nullish();
const documentBlock = open(
  z.object({
    type: z.literal("document"),
    source: z.discriminatedUnion("type", [base64, address, plainText, ownContent], sourceError),
    citations,
    title: z.string().max(400).nullish(),
    context: words.nullish(),
    ...marks,
  }),
);
const searchResultBlock = open(
  z.object({
    type: z.literal("search_result"),
    source: z.string().max(4_000),
    title: z.string().max(1_000),
    content: z.array(textBlock),
    citations,
    ...marks,
  }),
);
const givenBlock = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
]);
/** A tool that a program's own search found. Every tool of a request is offered anyway. */
const toolReferenceBlock = open(
  z.object({ type: z.literal("tool_reference"), tool_name: z.string().max(200) }),
);
const toolResultBlock = open(
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: id,
    content: z
      .union([
        words,
        z.array(z.discriminatedUnion("type", [...givenBlock.options, toolReferenceBlock])),
      ])
      .nullish(),
    is_error: z.boolean().nullish(),
    ...marks,
  }),
);
const toolUseBlock = open(
  z.object({
    type: z.literal("tool_use"),
    id,
    name: z.string().max(200),
    input: jsonObject,
    ...marks,
  }),
);
const thinkingBlock = open(
  z.object({
    type: z.literal("thinking"),
    thinking: words,
    signature: z.string().max(limits.apiTextCharacters).optional(),
  }),
);
const redactedBlock = open(
  z.object({
    type: z.literal("redacted_thinking"),
    data: z.string().max(limits.apiTextCharacters),
  }),
);
/**
 * The fields of blocks that are read, or that a service repeats of its own answer: the citations of
 * its text, and who called a tool.
 */
export const blockFields: ReadonlySet<string> = new Set([
  ...fieldsOf(
    ...givenBlock.options,
    toolReferenceBlock,
    toolResultBlock,
    toolUseBlock,
    thinkingBlock,
    redactedBlock,
  ),
  "caller",
]);
/** The objects inside blocks, by their field, with the fields that are read. */
export const fieldsInBlocks: Readonly<Record<string, ReadonlySet<string>>> = {
  source: fieldsOf(base64, address, plainText, ownContent),
};

/**
 * What Anthropic's own tools left in an earlier answer. Other models can't read it, so it is left
 * out, and the response says so.
 */
export const hostedBlocks = [
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "advisor_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "mcp_tool_use",
  "mcp_tool_result",
  "mcp_tool_listing",
  "fallback",
] as const;
const hostedBlock = z.object({ type: z.enum(hostedBlocks) });

const message = z.discriminatedUnion("role", [
  open(z.object({ role: z.literal("system"), content: z.union([words, z.array(textBlock)]) })),
  open(
    z.object({
      role: z.literal("user"),
      content: z.union([
        words,
        z.array(z.discriminatedUnion("type", [...givenBlock.options, toolResultBlock])),
      ]),
    }),
  ),
  open(
    z.object({
      role: z.literal("assistant"),
      content: z.union([
        words,
        z.array(
          z.discriminatedUnion("type", [
            textBlock,
            toolUseBlock,
            thinkingBlock,
            redactedBlock,
            hostedBlock,
          ]),
        ),
      ]),
    }),
  ),
]);
export const messageFields = fieldsOf(...message.options);

const toolName = z
  .string()
  .regex(/^[\w-]{1,128}$/, "A tool’s name has letters, digits, _ and -, at most 128.");
const ownTool = open(
  z.object({
    type: z.literal("custom").nullish(),
    name: toolName,
    description: z.string().max(limits.apiToolCharacters).nullish(),
    input_schema: jsonObject,
    strict: z.boolean().nullish(),
    ...marks,
  }),
);
export const ownToolFields = fieldsOf(ownTool);
/**
 * A tool that Anthropic runs itself, or whose schema only its models know. It is left out, and the
 * response says so.
 */
const hostedTool = z.object({
  type: z
    .string()
    .max(64)
    .regex(/^(?!custom$)/, "This tool has no input_schema."),
  /** Toolsets of a tool server have none. */
  name: z.string().max(200).optional(),
});
/** Whether the thinking is returned, or only its signature. */
const display = z.string().max(20).nullish();
const answerFormat = z.object({ type: z.literal("json_schema"), schema: jsonObject }).nullish();
const questionFields = z.object({
  model,
  messages: z.array(message).min(1, "Send at least one message.").max(limits.apiMessages),
  system: z.union([words, z.array(textBlock)]).nullish(),
  tools: z
    .array(z.union([ownTool, hostedTool]))
    .max(limits.apiTools)
    .nullish(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().nullish() }),
      z.object({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().nullish() }),
      z.object({
        type: z.literal("tool"),
        name: toolName,
        disable_parallel_tool_use: z.boolean().nullish(),
      }),
      z.object({ type: z.literal("none") }),
    ])
    .nullish(),
  thinking: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("enabled"), budget_tokens: z.int().min(1), display }),
      z.object({ type: z.literal("adaptive"), display }),
      z.object({ type: z.literal("disabled") }),
    ])
    .nullish(),
  output_config: z
    .looseObject({ effort: z.string().max(20).nullish(), format: answerFormat })
    .nullish(),
  /** The older name of `output_config.format`. */
  output_format: answerFormat,
  ...marks,
});
const answerFields = questionFields.extend({
  max_tokens: z.int().min(1),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  stop_sequences: z.array(z.string()).max(limits.apiStops).nullish(),
  stream: z.boolean().nullish(),
  metadata: z.looseObject({}).nullish(),
  service_tier: z.string().max(40).nullish(),
});

/** The page that a client of Anthropic's API asks for. Clients of OpenAI's know no pages. */
export const modelListQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .transform((limit) => Math.min(Math.max(limit, 1), 1_000))
    .catch(20),
  after_id: z.string().max(600).optional(),
  before_id: z.string().max(600).optional(),
});

export const anthropicSchemas = {
  createMessage: { body: answerFields.loose() },
  countMessageTokens: { body: questionFields.loose() },
};
export type MessageQuestion = z.output<typeof questionFields>;
export type ModelListQuery = z.output<typeof modelListQuery>;
export type MessageBody = z.output<typeof answerFields>;
export const messageParameters = fieldsOf(answerFields);
