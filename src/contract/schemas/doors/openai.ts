import { z } from "zod";
import { grouped } from "../../counts.ts";
import { text } from "../../entities.ts";
import { limits } from "../../limits.ts";
import { modelListQuery } from "./anthropic.ts";
import { fieldsOf, open } from "./further-fields.ts";

const model = z.string().min(1, "The model is missing. Name it as “connection/model”.").max(600);
const words = text(limits.apiTextCharacters);
const off = <T extends z.ZodType>(neutral: T) => neutral.nullish();
const jsonObject = z.record(z.string(), z.unknown());

/**
 * Parameters that would change an answer's meaning and that no model supports are accepted only
 * with their neutral value. Other parameters that a model's service lacks are left out and listed
 * in `x-bottega-dropped`.
 */
const neutral = {
  modalities: off(z.array(z.literal("text", "Chat only returns text."))),
};
/** Parameters that some services accept unchanged, with a test for their neutral value. */
const passable: Readonly<Record<string, (value: unknown) => boolean>> = {
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  logit_bias: (value) => typeof value === "object" && Object.keys(value!).length === 0,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  service_tier: (value) => value === "auto" || value === "default",
  truncation: (value) => value !== "auto",
  top_k: () => false,
  min_p: () => false,
  repetition_penalty: (value) => value === 1,
  repeat_penalty: (value) => value === 1,
  typical_p: (value) => value === 1,
  parallel_tool_calls: (value) => value === true,
  verbosity: (value) => value === "medium",
  chat_template_kwargs: () => false,
  enable_thinking: () => false,
  grammar: () => false,
};
/**
 * Labels that a service may accept as well. They have no effect elsewhere, so they are never
 * reported as left out.
 */
const passedLabels = ["user", "prompt_cache_key", "prompt_cache_retention", "safety_identifier"];

/** The parameters of a request beyond its schema's own, including labels for the service. */
export function furtherParameters(
  body: object,
  known: ReadonlySet<string>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) =>
        value !== undefined &&
        value !== null &&
        (passedLabels.includes(name) || name in passable || !known.has(name)) &&
        !passable[name]?.(value),
    ),
  );
}
export const isLabel = (name: string): boolean => name in labels;

export const labels = {
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  /** Older clients of OpenAI write a hyphen. */
  prompt_cache_retention: z
    .enum(["in_memory", "in-memory", "24h"])
    .transform((value) => value.replace("-", "_"))
    .nullish(),
  metadata: jsonObject.nullish(),
  store: z.boolean().nullish(),
};
export const notUsed = Object.keys(labels).filter((name) => !passedLabels.includes(name));
/** The Responses API honors `store` and returns `metadata`. */
export const notUsedByResponses = notUsed.filter((name) => name !== "store" && name !== "metadata");

const recording = open(
  z.object({
    data: z.string().max(limits.apiBodyBytes),
    format: z.string().regex(/^[a-z0-9]{1,10}$/),
  }),
);
const picture = open(
  z.object({ url: z.string().max(limits.apiBodyBytes), detail: z.string().nullish() }),
);
const file = open(
  z.object({
    file_data: z
      .string("Send the file as file_data. There are no files by id.")
      .max(limits.apiBodyBytes),
    filename: z.string().max(400).nullish(),
  }),
);
const textPart = open(z.object({ type: z.literal("text"), text: words }));
const chatPart = z.discriminatedUnion("type", [
  textPart,
  open(z.object({ type: z.literal("image_url"), image_url: picture })),
  open(z.object({ type: z.literal("input_audio"), input_audio: recording })),
  open(z.object({ type: z.literal("file"), file })),
]);
const chatParts = z.union([words, z.array(chatPart)]);
const refusalPart = open(z.object({ type: z.literal("refusal"), refusal: words }));
/** The fields of parts that are read. Prompts are cached without a mark. */
export const chatPartFields: ReadonlySet<string> = new Set([
  ...fieldsOf(...chatPart.options, refusalPart),
  "cache_control",
]);
/** The objects inside parts, by their field, with the fields that are read. */
export const fieldsInParts: Readonly<Record<string, ReadonlySet<string>>> = {
  image_url: fieldsOf(picture),
  input_audio: fieldsOf(recording),
  file: fieldsOf(file),
};
const textOnly = z.union([words, z.array(textPart)]);
const callId = z.string().max(200);
const calledFunction = open(z.object({ name: z.string().max(200), arguments: words }));
const calledCustom = open(z.object({ name: z.string().max(200), input: words }));
const legacyCall = calledFunction.extend({ id: callId.nullish() });
const functionCall = open(
  z.object({
    id: callId,
    type: z.literal("function").default("function"),
    function: calledFunction,
  }),
);
const customCall = open(z.object({ id: callId, type: z.literal("custom"), custom: calledCustom }));
/** The fields of calls that are read, or that number the call in a stream. */
export const callFields: ReadonlySet<string> = new Set([
  ...fieldsOf(functionCall),
  ...fieldsOf(customCall),
  "index",
]);
/** The objects inside calls, and a call of the older form, with the fields that are read. */
export const fieldsInCalls: Readonly<Record<string, ReadonlySet<string>>> = {
  function: fieldsOf(calledFunction),
  custom: fieldsOf(calledCustom),
};
export const legacyCallFields = fieldsOf(legacyCall);
/** A participant's name. Turns have no names, so it is left out and reported. */
const speaker = z.string().max(200).nullish();
const message = z.discriminatedUnion("role", [
  open(z.object({ role: z.literal("system"), content: textOnly, name: speaker })),
  open(z.object({ role: z.literal("developer"), content: textOnly, name: speaker })),
  open(z.object({ role: z.literal("user"), content: chatParts, name: speaker })),
  open(
    z.object({
      role: z.literal("assistant"),
      name: speaker,
      /** The id of an earlier spoken answer. None exist here, so it is left out and reported. */
      audio: z.object({ id: z.string().max(200) }).nullish(),
      content: z.union([words, z.array(z.union([textPart, refusalPart]))]).nullish(),
      reasoning_content: words.nullish(),
      tool_calls: z
        .array(z.union([functionCall, customCall]))
        .max(limits.apiTools)
        .nullish(),
      /**
       * The older form of a tool call. We assign its id: clients that return it keep their reasoning.
       */
      function_call: legacyCall.nullish(),
    }),
  ),
  open(
    z.object({
      role: z.literal("function"),
      name: z.string().max(200),
      content: textOnly.nullish(),
    }),
  ),
  open(
    z.object({
      role: z.literal("tool"),
      tool_call_id: callId,
      content: chatParts.nullish(),
    }),
  ),
]);
/**
 * The fields of messages that are read or need no reader: a service repeats the notes on its own
 * answer, and a result belongs to its call by the call's ID.
 */
export const messageFields: ReadonlySet<string> = new Set([
  ...fieldsOf(...message.options),
  "annotations",
]);
const toolName = z
  .string()
  .regex(/^[\w-]{1,64}$/, "A tool's name has letters, digits, _ and -, at most 64.");
const strict = z.boolean().nullish();
const functionTool = open(
  z.object({
    name: toolName,
    description: z.string().max(limits.apiToolCharacters).nullish(),
    parameters: jsonObject.nullish(),
    strict,
  }),
);
/** A tool whose input is text in a custom format. */
const customFields = open(
  z.object({
    name: toolName,
    description: z.string().max(limits.apiToolCharacters).nullish(),
    format: jsonObject.nullish(),
  }),
);
const namedChoice = z.enum(["auto", "none", "required"]);
const allowedMode = z.enum(["auto", "required"]);
/** A tool that OpenAI runs itself. */
const hostedType = z
  .string()
  .max(64)
  .regex(/^(?!(function|custom|namespace|allowed_tools)$)/, "This tool is not complete.");
const hostedTool = z.looseObject({ type: hostedType });
const named = z.object({ name: toolName });
const chatChosenTool = z.union([
  z.object({ type: z.literal("function"), function: named }),
  z.object({ type: z.literal("custom"), custom: named }),
]);
const chatAllowedTools = z.object({
  type: z.literal("allowed_tools"),
  allowed_tools: z.object({
    mode: allowedMode,
    tools: z.array(z.union([chatChosenTool, hostedTool])).max(limits.apiTools),
  }),
});
const shape = z.object({
  name: z.string().max(64),
  schema: jsonObject,
  strict,
  description: z.string().nullish(),
});

const chatFields = z.object({
  model,
  messages: z.array(message).min(1, "Send at least one message.").max(limits.apiMessages),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(limits.apiStops)]).nullish(),
  seed: z.int().nullish(),
  reasoning_effort: z.string().max(20).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  /** The number of answers, each of which is a run. */
  n: z.int().min(1).max(limits.answersPerRequest).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z
    .array(
      z.union([
        open(z.object({ type: z.literal("function"), function: functionTool })),
        open(z.object({ type: z.literal("custom"), custom: customFields })),
        hostedTool,
      ]),
    )
    .max(limits.apiTools)
    .nullish(),
  tool_choice: z.union([namedChoice, chatChosenTool, chatAllowedTools, hostedTool]).nullish(),
  /** The older form of tools. */
  functions: z.array(functionTool).max(limits.apiTools).nullish(),
  function_call: z.union([z.enum(["auto", "none"]), named]).nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("text") }),
      z.object({ type: z.literal("json_object") }),
      z.object({ type: z.literal("json_schema"), json_schema: shape }),
    ])
    .nullish(),
  ...neutral,
  ...labels,
});

const inputPart = z.discriminatedUnion("type", [
  open(z.object({ type: z.literal("input_text"), text: words })),
  open(z.object({ type: z.literal("output_text"), text: words })),
  refusalPart,
  open(
    z.object({
      type: z.literal("input_image"),
      image_url: z
        .string("Send the picture as image_url. There are no files by id.")
        .max(limits.apiBodyBytes),
      detail: z.string().nullish(),
    }),
  ),
  open(z.object({ type: z.literal("input_audio"), input_audio: recording })),
  open(
    z.object({
      type: z.literal("input_file"),
      file_data: z.string().max(limits.apiBodyBytes).nullish(),
      file_url: z.string().max(4_000).nullish(),
      filename: z.string().max(400).nullish(),
    }),
  ),
]);
const inputParts = z.union([words, z.array(inputPart)]);
/** The fields of parts that are read, or that a service repeats of its own answer. */
export const inputPartFields: ReadonlySet<string> = new Set([
  ...fieldsOf(...inputPart.options),
  ...["annotations", "logprobs"],
]);
/** A tool's result: text, or parts with pictures and files. */
const output = z.union([words, inputParts.options[1]]);
/**
 * Calls of OpenAI's own tools in an earlier answer. Other models can't use them, so they are left
 * out, and the response says so.
 */
export const hostedCalls = [
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_call",
] as const;
const functionOfResponse = open(z.object({ type: z.literal("function"), ...functionTool.shape }));
const customTool = open(z.object({ type: z.literal("custom"), ...customFields.shape }));
/** Tools under a common name, as Codex groups them. */
const namespaceTool = open(
  z.object({
    type: z.literal("namespace"),
    name: toolName,
    description: z.string().max(limits.apiToolCharacters).nullish(),
    tools: z.array(z.union([functionOfResponse, customTool])).max(limits.apiTools),
  }),
);
export const tooManyTools = `A request can have at most ${grouped(limits.apiTools)} tools, including those of groups.`;
/** The fields of tools that are read. */
export const toolFields = fieldsOf(functionOfResponse, customTool, namespaceTool);
const isGroup = (tool: { type: string }): tool is z.output<typeof namespaceTool> =>
  tool.type === "namespace";
export const countTools = (tools: readonly { type: string }[]): number =>
  tools.reduce((sum, tool) => sum + (isGroup(tool) ? tool.tools.length : 1), 0);
const responseTool = z.union([functionOfResponse, customTool, namespaceTool, hostedTool]);

const items = [
  open(
    z.object({
      type: z.literal("function_call"),
      call_id: callId,
      name: z.string().max(200),
      namespace: z.string().max(200).nullish(),
      arguments: words,
    }),
  ),
  open(z.object({ type: z.literal("function_call_output"), call_id: callId, output })),
  open(
    z.object({
      type: z.literal("custom_tool_call"),
      call_id: callId,
      name: z.string().max(200),
      namespace: z.string().max(200).nullish(),
      input: words,
    }),
  ),
  open(z.object({ type: z.literal("custom_tool_call_output"), call_id: callId, output })),
  open(
    z.object({
      type: z.literal("reasoning"),
      id: z.string().max(300).nullish(),
      encrypted_content: z.string().max(limits.apiTextCharacters).nullish(),
    }),
  ),
  open(z.object({ type: z.literal("item_reference"), id: z.string().max(300) })),
  z.looseObject({ type: z.enum(hostedCalls) }),
  /** Tools that newer versions of Codex send with the input. */
  open(
    z.object({
      type: z.literal("additional_tools"),
      tools: z.array(responseTool).max(limits.apiTools),
    }),
  ),
  open(
    z.object({
      type: z.literal("message").optional(),
      role: z.enum(["system", "developer", "user", "assistant"]),
      content: inputParts,
    }),
  ),
] as const;
/** The fields of items that are read, or that only label an item. */
export const itemFields: ReadonlySet<string> = new Set([
  ...fieldsOf(...items),
  ...["id", "status", "summary"],
]);
/** Items that only OpenAI's own models can use, and what to send to any model. */
const onlyOpenAi: readonly [RegExp, string][] = [
  [/^compaction(_trigger)?$/, "Only OpenAI can read it. Send the conversation itself."],
  [
    /^(computer|shell|local_shell|apply_patch)_call(_output)?$/,
    "Only OpenAI’s models have this tool. Offer it as a function.",
  ],
  [/^tool_search_(call|output)$/, "Only OpenAI searches tools. Send the tools themselves."],
  [/^mcp_approval_(request|response)$/, "Only OpenAI calls tool servers for a program."],
];
const item = z.discriminatedUnion("type", items, {
  error: ({ input }) => {
    const type = (input as { type?: unknown } | undefined)?.type;
    const named = typeof type === "string" ? ` (“${type.slice(0, 64)}”)` : "";
    const [, reason] = onlyOpenAi.find(([types]) => types.test(String(type))) ?? [];
    return `This type of item${named} is not supported. ${reason ?? "Send messages, calls, their results, or references."}`;
  },
});
const chosenTool = z.object({ type: z.enum(["function", "custom"]), name: toolName });
const allowedTools = z.object({
  type: z.literal("allowed_tools"),
  mode: allowedMode,
  tools: z
    .array(
      z.union([
        chosenTool.extend({ type: z.enum(["function", "custom", "namespace"]) }),
        hostedTool,
      ]),
    )
    .max(limits.apiTools),
});
const responseFields = z.object({
  model,
  // Before the input, which a request with one of them may lack.
  conversation: off(z.literal("", "Conversations are not supported. Use previous_response_id.")),
  prompt: off(z.literal("", "Stored prompts are not supported. Send their text.")),
  input: z.union([words, z.array(item).min(1).max(limits.apiMessages)], {
    error: ({ input }) => (input === undefined ? "Send a text, or a list of items." : undefined),
  }),
  instructions: words.nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  reasoning: z
    .looseObject({ effort: z.string().max(20).nullish(), summary: z.string().nullish() })
    .nullish(),
  text: z
    .looseObject({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("text") }),
          z.object({ type: z.literal("json_object") }),
          shape.extend({ type: z.literal("json_schema") }),
        ])
        .nullish(),
      verbosity: z.string().max(20).nullish(),
    })
    .nullish(),
  tools: z
    .array(responseTool)
    .max(limits.apiTools)
    .refine((tools) => countTools(tools) <= limits.apiTools, tooManyTools)
    .nullish(),
  tool_choice: z.union([namedChoice, chosenTool, allowedTools, hostedTool]).nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  include: z.array(z.string().max(100)).max(20).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  ...labels,
});

/** Other fields of the model's form are passed through. */
const images = z.looseObject({
  model,
  prompt: text(limits.promptCharacters),
  n: z.int().min(1).max(limits.variantsPerForm).nullish(),
  size: z.string().max(20).nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
  stream: z.boolean().nullish(),
  user: labels.user,
});

const editedPicture = z.object({
  image_url: z.string().max(limits.apiBodyBytes).nullish(),
  /** There are no files by ID, but the project's own by `asset:<id>`. */
  file_id: z.string().max(200).nullish(),
});
const imageEdit = images.extend({
  images: z.array(editedPicture).min(1, "Send at least one picture.").max(limits.formParts),
  mask: editedPicture.nullish(),
});

/** A text as tokens of its model. */
const tokens = z.array(z.int().min(0)).min(1).max(limits.promptCharacters);
const embeddingFields = z.object({
  model,
  input: z.union(
    [
      text(limits.promptCharacters),
      z.array(text(limits.promptCharacters)).min(1).max(limits.apiEmbeddings),
      tokens,
      z.array(tokens).min(1).max(limits.apiEmbeddings),
    ],
    `Send a text or a list of tokens, or at most ${limits.apiEmbeddings} of either.`,
  ),
  dimensions: z.int().min(1).nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  user: labels.user,
});

const speech = z.looseObject({
  model,
  input: text(limits.promptCharacters),
  voice: z
    .union([z.string().max(200), z.object({ id: z.string().max(200) }).transform(({ id }) => id)])
    .nullish(),
  response_format: z.string().max(20).nullish(),
  stream_format: z.enum(["audio", "sse"]).nullish(),
});

const responseParam = z.object({ responseId: z.string().min(1).max(200) });

export const openAiSchemas = {
  createChatCompletion: { body: chatFields.loose() },
  createResponse: { body: responseFields.loose() },
  getResponse: {
    params: responseParam,
    query: z.object({
      stream: z.enum(["true", "false"]).optional(),
      /** The `sequence_number` of the last event received. */
      starting_after: z.coerce.number().int().min(0).optional(),
    }),
  },
  listInputItems: {
    params: responseParam,
    query: z.object({
      order: z.enum(["asc", "desc"]).default("desc"),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      after: z.string().max(200).optional(),
    }),
  },
  deleteResponse: { params: responseParam },
  cancelResponse: { params: responseParam },
  createImages: { body: images },
  editImages: { body: imageEdit },
  createEmbeddings: { body: embeddingFields.loose() },
  createSpeech: { body: speech },
  createTranscription: {},
  listOpenAiModels: { query: modelListQuery },
  getOpenAiModel: { params: z.object({ model: z.string().min(1).max(600) }) },
};
export type ChatBody = z.output<typeof chatFields>;
export type ResponseBody = z.output<typeof responseFields>;
export const chatParameters = fieldsOf(chatFields);
export const responseParameters = fieldsOf(responseFields);
export const embeddingParameters = fieldsOf(embeddingFields);
export type ImagesBody = z.output<typeof images>;
export type ImageEditBody = z.output<typeof imageEdit>;
export type SpeechBody = z.output<typeof speech>;
