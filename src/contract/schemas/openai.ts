import { z } from "zod";
import { text } from "../entities.ts";
import { limits } from "../limits.ts";

const model = z.string().min(1, "The model is missing. Name it as “connection/model”.").max(600);
const words = text(limits.apiTextCharacters);
const off = <T extends z.ZodType>(neutral: T) => neutral.nullish();
const jsonObject = z.record(z.string(), z.unknown());

/**
 * What other clients send and no model here can do is taken only with the value that asks for nothing: any other is refused. What
 * only labels a request is taken, and named in the answer's headers as not used.
 */
const neutral = {
  n: off(z.literal(1, "Each request returns one answer. Send another request for another answer.")),
  frequency_penalty: off(z.literal(0, "Penalties are not supported.")),
  presence_penalty: off(z.literal(0, "Penalties are not supported.")),
  logprobs: off(z.literal(false, "Log probabilities are not supported.")),
  top_logprobs: off(z.literal(0, "Log probabilities are not supported.")),
  logit_bias: off(z.strictObject({}, "A logit bias is not supported.")),
  modalities: off(z.tuple([z.literal("text", "Chat only returns text.")])),
};
export const labels = {
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  metadata: jsonObject.nullish(),
  store: z.boolean().nullish(),
  service_tier: z.enum(["auto", "default"], "Service tiers are not supported.").nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};
export const notUsed = Object.keys(labels);
/** A response is kept or not as it asks, and says its labels again. */
export const notUsedByResponses = notUsed.filter((name) => name !== "store" && name !== "metadata");

const textPart = z.object({ type: z.literal("text"), text: words });
const chatParts = z.union([
  words,
  z.array(
    z.discriminatedUnion("type", [
      textPart,
      z.object({
        type: z.literal("image_url"),
        image_url: z.object({
          url: z.string().max(limits.apiBodyBytes),
          detail: z.string().optional(),
        }),
      }),
      z.object({
        type: z.literal("file"),
        file: z.object({
          file_data: z.string().max(limits.apiBodyBytes),
          filename: z.string().max(400).optional(),
        }),
      }),
    ]),
  ),
]);
const textOnly = z.union([words, z.array(textPart)]);
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: textOnly }),
  z.object({ role: z.literal("developer"), content: textOnly }),
  z.object({ role: z.literal("user"), content: chatParts }),
  z.object({
    role: z.literal("assistant"),
    content: z
      .union([
        words,
        z.array(z.union([textPart, z.object({ type: z.literal("refusal"), refusal: words })])),
      ])
      .nullish(),
    tool_calls: z
      .array(
        z.object({
          id: z.string().max(200),
          type: z.literal("function").default("function"),
          function: z.object({ name: z.string().max(200), arguments: words }),
        }),
      )
      .max(limits.apiTools)
      .nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string().max(200), content: textOnly }),
]);
const toolName = z
  .string()
  .regex(/^[\w-]{1,64}$/, "A tool's name has letters, digits, _ and -, at most 64.");
const strict = z.boolean().nullish();
const functionTool = z.object({
  name: toolName,
  description: z.string().max(10_000).nullish(),
  parameters: jsonObject.nullish(),
  strict,
});
const namedChoice = z.enum(["auto", "none", "required"]);
const shape = z.object({
  name: z.string().max(64),
  schema: jsonObject,
  strict,
  description: z.string().nullish(),
});

const chat = z.strictObject({
  model,
  messages: z.array(message).min(1, "Send at least one message.").max(limits.apiMessages),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.int().nullish(),
  reasoning_effort: z.string().max(20).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().nullish(),
      include_obfuscation: z.boolean().nullish(),
    })
    .nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal("function", "Only function tools are supported."),
        function: functionTool,
      }),
    )
    .max(limits.apiTools)
    .nullish(),
  tool_choice: z
    .union([
      namedChoice,
      z.object({ type: z.literal("function"), function: z.object({ name: toolName }) }),
    ])
    .nullish(),
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

const inputParts = z.union([
  words,
  z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("input_text"), text: words }),
      z.object({ type: z.literal("output_text"), text: words }),
      z.object({ type: z.literal("refusal"), refusal: words }),
      z.object({
        type: z.literal("input_image"),
        image_url: z.string().max(limits.apiBodyBytes),
        detail: z.string().nullish(),
      }),
      z.object({
        type: z.literal("input_file"),
        file_data: z.string().max(limits.apiBodyBytes).optional(),
        file_url: z.string().max(4_000).optional(),
        filename: z.string().max(400).optional(),
      }),
    ]),
  ),
]);
const item = z.union([
  z.object({
    type: z.literal("function_call"),
    call_id: z.string().max(200),
    name: toolName,
    arguments: words,
  }),
  z.object({
    type: z.literal("function_call_output"),
    call_id: z.string().max(200),
    output: words,
  }),
  z.object({ type: z.literal("reasoning") }),
  z.object({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user", "assistant"]),
    content: inputParts,
  }),
]);
const response = z.strictObject({
  model,
  input: z.union([words, z.array(item).min(1).max(limits.apiMessages)]),
  instructions: words.nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  reasoning: z
    .strictObject({ effort: z.string().max(20).nullish(), summary: z.string().nullish() })
    .nullish(),
  text: z
    .strictObject({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("text") }),
          z.object({ type: z.literal("json_object") }),
          shape.extend({ type: z.literal("json_schema") }),
        ])
        .nullish(),
      verbosity: off(z.literal("medium", "Verbosity is not supported.")),
    })
    .nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal("function", "Only function tools are supported."),
        ...functionTool.shape,
      }),
    )
    .max(limits.apiTools)
    .nullish(),
  tool_choice: z
    .union([namedChoice, z.object({ type: z.literal("function"), name: toolName })])
    .nullish(),
  background: off(
    z.literal(false, "Background mode is not supported. Follow the run under /api/v1 instead."),
  ),
  previous_response_id: z.string().max(200).nullish(),
  truncation: off(z.literal("disabled", "Truncation is not supported.")),
  include: off(z.array(z.literal("reasoning.encrypted_content")).max(1)),
  top_logprobs: off(z.literal(0, "Log probabilities are not supported.")),
  ...labels,
});

/** Other fields of the model's form are passed through. */
const images = z.looseObject({
  model,
  prompt: text(limits.promptCharacters),
  n: z.int().min(1).max(limits.variantsPerForm).nullish(),
  size: z.string().max(20).nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
  stream: off(
    z.literal(false, "Streaming of images is not supported. Follow the run under /api/v1 instead."),
  ),
  user: labels.user,
});

const embeddings = z.strictObject({
  model,
  input: z.union(
    [
      text(limits.promptCharacters),
      z.array(text(limits.promptCharacters)).min(1).max(limits.apiEmbeddings),
    ],
    `Send a text, or at most ${limits.apiEmbeddings} of them; tokens are not taken.`,
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
  stream_format: off(z.literal("audio", "Streaming of speech is not supported.")),
});

const responseParam = z.object({ responseId: z.string().min(1).max(200) });

export const openAiSchemas = {
  createChatCompletion: { body: chat },
  createResponse: { body: response },
  getResponse: {
    params: responseParam,
    query: z.object({
      stream: z
        .literal(
          "false",
          "Streaming of transcripts is not supported. Follow the run under /api/v1 instead.",
        )
        .optional(),
    }),
  },
  deleteResponse: { params: responseParam },
  createImages: { body: images },
  editImages: {},
  createEmbeddings: { body: embeddings },
  createSpeech: { body: speech },
  createTranscription: {},
  listOpenAiModels: {},
  getOpenAiModel: { params: z.object({ model: z.string().min(1).max(600) }) },
};
export type ChatBody = z.output<typeof chat>;
export type ResponseBody = z.output<typeof response>;
export type ImagesBody = z.output<typeof images>;
export type SpeechBody = z.output<typeof speech>;
