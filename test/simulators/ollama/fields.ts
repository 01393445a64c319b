import { z } from "zod";

/**
 * The fields of each endpoint (https://docs.ollama.com/api, api/types.go). All others are refused.
 */
const filled = z.string().min(1);
const options = z.strictObject({
  num_ctx: z.int().positive().optional(),
  num_predict: z.int().optional(),
  temperature: z.number().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  min_p: z.number().optional(),
  seed: z.int().optional(),
  stop: z.array(filled).optional(),
  repeat_penalty: z.number().optional(),
  repeat_last_n: z.int().optional(),
  typical_p: z.number().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  num_keep: z.int().optional(),
});
/** Seconds, or a Go duration; -1 means forever. */
const keep_alive = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?(ms|s|m|h)/)]).optional();
const schemaObject = z.looseObject({ type: z.string() });
const call = z.strictObject({
  id: z.string().optional(),
  function: z.strictObject({
    index: z.int().optional(),
    name: filled,
    arguments: z.record(z.string(), z.unknown()),
  }),
});
const images = z.array(z.base64()).optional();
const message = z.union([
  z.strictObject({ role: z.enum(["system", "user"]), content: z.string(), images }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string(),
    thinking: z.string().optional(),
    images,
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    content: z.string(),
    tool_name: filled,
    tool_call_id: z.string().optional(),
  }),
]);
const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: filled,
    description: z.string(),
    parameters: z.looseObject({ type: z.literal("object") }),
  }),
});

/** The model; `name` is the older field for it. */
const named = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.union([
    z.strictObject({ ...shape, model: filled, name: z.string().optional() }),
    z.strictObject({ ...shape, name: filled, model: z.string().optional() }),
  ]);

const endpoints: Readonly<Record<string, z.ZodType>> = {
  chat: z.strictObject({
    model: filled,
    messages: z.array(message),
    stream: z.boolean().optional(),
    think: z.union([z.boolean(), z.enum(["low", "medium", "high", "max"])]).optional(),
    format: z.union([z.literal("json"), schemaObject]).optional(),
    tools: z.array(tool).min(1).optional(),
    truncate: z.boolean().optional(),
    shift: z.boolean().optional(),
    keep_alive,
    options: options.optional(),
  }),
  generate: z.strictObject({
    model: filled,
    prompt: z.string().optional(),
    stream: z.boolean().optional(),
    keep_alive,
  }),
  embed: z.strictObject({
    model: filled,
    input: z.union([z.string(), z.array(z.string())]),
    dimensions: z.int().positive().optional(),
    truncate: z.boolean().optional(),
    keep_alive,
    options: options.optional(),
  }),
  show: named({ verbose: z.boolean().optional() }),
  pull: named({ stream: z.boolean().optional(), insecure: z.boolean().optional() }),
  delete: named({}),
};

/**
 * The message of the refusal, or null. Lenient real servers would ignore such errors and hide the
 * bug.
 */
export function refuseBody(endpoint: string, body: unknown): string | null {
  const read = endpoints[endpoint]?.safeParse(body);
  if (!read) return "invalid request body";
  return read.success ? null : z.prettifyError(read.error);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
