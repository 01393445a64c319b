import { z } from "zod";

/**
 * The request of POST /v1/messages according to the public reference
 * (https://docs.anthropic.com/en/api/messages), limited to the parts that Bottega uses.
 */
const cache = {
  cache_control: z
    .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
    .optional(),
};
const filled = z.string().min(1);
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);

const text = z.strictObject({ type: z.literal("text"), text: filled, ...cache });
const image = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/webp", "image/gif"]),
    data: base64,
  }),
  ...cache,
});
const document = z.strictObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.literal("application/pdf"),
      data: base64,
    }),
    z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: filled }),
  ]),
  title: z.string().optional(),
  citations: z.strictObject({ enabled: z.boolean() }).optional(),
  ...cache,
});
const thinking = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: filled,
});
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: filled,
  name: filled,
  input: z.record(z.string(), z.unknown()),
  ...cache,
});
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: filled,
  content: z.union([z.string(), z.array(z.union([text, image]))]),
  is_error: z.boolean().optional(),
  ...cache,
});
/**
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool, "Response
 * format"
 */
const codeUse = z.strictObject({
  type: z.literal("server_tool_use"),
  id: z.string().regex(/^srvtoolu_\w+$/),
  name: z.enum(["bash_code_execution", "text_editor_code_execution"]),
  input: z.record(z.string(), z.unknown()),
  ...cache,
});
const codeError = <Type extends string>(type: Type) =>
  z.strictObject({ type: z.literal(type), error_code: filled });
const bashResult = z.strictObject({
  type: z.literal("bash_code_execution_tool_result"),
  tool_use_id: filled,
  content: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("bash_code_execution_result"),
      stdout: z.string(),
      stderr: z.string(),
      return_code: z.int(),
      content: z.array(
        z.strictObject({ type: z.literal("bash_code_execution_output"), file_id: filled }),
      ),
    }),
    codeError("bash_code_execution_tool_result_error"),
  ]),
  ...cache,
});
const editorResult = z.strictObject({
  type: z.literal("text_editor_code_execution_tool_result"),
  tool_use_id: filled,
  content: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("text_editor_code_execution_create_result"),
      is_file_update: z.boolean(),
    }),
    codeError("text_editor_code_execution_tool_result_error"),
  ]),
  ...cache,
});
const codeTool = z.strictObject({
  type: z.literal("code_execution_20250825"),
  name: z.literal("code_execution"),
  ...cache,
});
const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([filled, z.array(z.union([text, image, document, toolResult])).min(1)]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([
      filled,
      z.array(z.union([text, thinking, toolUse, codeUse, bashResult, editorResult])).min(1),
    ]),
  }),
]);

const body = z.strictObject({
  model: filled,
  max_tokens: z.int().positive(),
  messages: z.array(message).min(1),
  system: z.union([filled, z.array(text).min(1)]).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().positive().optional(),
  stop_sequences: z.array(filled).optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).optional() }).optional(),
  thinking: z
    .union([
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.strictObject({
        type: z.literal("adaptive"),
        display: z.enum(["summarized", "omitted"]).optional(),
      }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  tools: z
    .array(
      z.union([
        codeTool,
        z.strictObject({
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
          description: z.string().optional(),
          input_schema: z.looseObject({ type: z.literal("object") }),
          eager_input_streaming: z.boolean().optional(),
          strict: z.boolean().optional(),
          ...cache,
        }),
      ]),
    )
    .optional(),
  tool_choice: z
    .union([
      z.strictObject({
        type: z.enum(["auto", "any", "none"]),
        disable_parallel_tool_use: z.boolean().optional(),
      }),
      z.strictObject({
        type: z.literal("tool"),
        name: filled,
        disable_parallel_tool_use: z.boolean().optional(),
      }),
    ])
    .optional(),
  container: filled.optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
      format: z
        .strictObject({ type: z.literal("json_schema"), schema: z.looseObject({}) })
        .optional(),
    })
    .optional(),
  ...cache,
});

export type MessagesBody = z.infer<typeof body>;

/** The error of a request, in the original's words, or null. */
export function refuseBody(value: unknown): string | null {
  const read = body.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `${issue?.path.join(".") || "body"}: ${issue?.message}`;
  }
  return refuseOrder(read.data) ?? refuseCode(read.data) ?? refuseThinking(read.data);
}

export const runsCode = ({ tools = [] }: Pick<MessagesBody, "tools">): boolean =>
  tools.some((tool) => "type" in tool && tool.type === "code_execution_20250825");

/** Code results must be in their own message, once each; without the tool, none are accepted. */
function refuseCode(body: MessagesBody): string | null {
  if (body.container !== undefined && !runsCode(body))
    return "container: a container needs the code execution tool";
  const seen = new Set<string>();
  for (const [index, { role, content }] of body.messages.entries()) {
    if (role !== "assistant" || typeof content === "string") continue;
    let open: string | null = null;
    for (const part of content) {
      if (part.type === "server_tool_use") {
        if (!runsCode(body)) return `messages.${index}: server_tool_use without its tool`;
        if (open !== null || seen.has(part.id))
          return `messages.${index}: server_tool_use ids must be unique and answered: ${part.id}`;
        open = part.id;
        seen.add(open);
      } else if ("tool_use_id" in part) {
        if (part.tool_use_id !== open)
          return `messages.${index}: unexpected tool_use_id ${part.tool_use_id}`;
        open = null;
      }
    }
    if (open !== null) return `messages.${index}: server_tool_use ${open} has no result`;
  }
  return null;
}

/** The error of a POST /v1/messages/count_tokens request, which accepts no answer settings. */
export function refuseQuestion(value: Record<string, unknown>): string | null {
  const extra = ["max_tokens", "stream", "temperature"].find((name) => name in value);
  return extra
    ? `${extra}: Extra inputs are not permitted`
    : refuseBody({ ...value, max_tokens: 1 });
}

/** Each call is answered in the next message, which contains no other results. */
function refuseOrder({ messages }: MessagesBody): string | null {
  if (messages[0]!.role !== "user") return "messages: first message must use the user role";
  for (const [index, { content }] of messages.entries()) {
    const parts = typeof content === "string" ? [] : content;
    const called = parts.flatMap((part) => (part.type === "tool_use" ? [part.id] : []));
    const next = messages[index + 1]?.content ?? [];
    const answered =
      typeof next === "string"
        ? []
        : next.flatMap((part) => (part.type === "tool_result" ? [part.tool_use_id] : []));
    if (called.length > 0 && called.toSorted().join() !== answered.toSorted().join()) {
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after: ${called.join(", ")}`;
    }
  }
  return null;
}

/**
 * A turn in progress, whose calls now have their results, began with thinking
 * (https://platform.claude.com/docs/en/build-with-claude/thinking, "Thinking with tool use").
 */
function refuseThinking({
  thinking: wanted,
  max_tokens,
  temperature,
  messages,
}: MessagesBody): string | null {
  if (wanted?.type !== "enabled") return null;
  if (wanted.budget_tokens >= max_tokens)
    return "`max_tokens` must be greater than `thinking.budget_tokens`";
  const [answer, results] = messages.slice(-2).map(({ content }) => content);
  const first = typeof answer === "string" ? undefined : answer?.[0]?.type;
  const isOpen = Array.isArray(results) && results.some(({ type }) => type === "tool_result");
  if (isOpen && first !== "thinking")
    return `messages.${messages.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`;
  return temperature === undefined || temperature === 1
    ? null
    : "`temperature` may only be set to 1 when thinking is enabled";
}
