import { z } from "zod";

/**
 * The body of ConverseStream according to the public reference (API_runtime_ConverseStream),
 * limited to the parts that Bottega uses.
 */
const filled = z.string().min(1);
const notBlank = z.string().regex(/\S/);
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const json = z.record(z.string(), z.unknown());

const cachePoint = z.strictObject({
  type: z.literal("default"),
  ttl: z.enum(["5m", "1h"]).optional(),
});
const image = z.strictObject({
  format: z.enum(["png", "jpeg", "gif", "webp"]),
  source: z.strictObject({ bytes: base64 }),
});
const document = z.strictObject({
  format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]).optional(),
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[a-zA-Z0-9\s()[\]-]+$/),
  source: z.strictObject({ bytes: base64 }),
  citations: z.strictObject({ enabled: z.boolean() }).optional(),
});
const reasoningContent = z.union([
  z.strictObject({
    reasoningText: z.strictObject({ text: z.string(), signature: filled.optional() }),
  }),
  z.strictObject({ redactedContent: base64 }),
]);
const toolUse = z.strictObject({
  toolUseId: z.string().regex(/^[a-zA-Z0-9_.:-]{1,64}$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  input: json,
});
const toolResult = z.strictObject({
  toolUseId: z.string().regex(/^[a-zA-Z0-9_.:-]{1,64}$/),
  content: z
    .array(
      z.union([
        z.strictObject({ text: z.string() }),
        z.strictObject({ json: z.unknown() }),
        z.strictObject({ image }),
      ]),
    )
    .min(1),
  status: z.enum(["success", "error"]).optional(),
});
/** A union: each block has exactly one member. */
const block = z.union([
  z.strictObject({ text: notBlank }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ reasoningContent }),
  z.strictObject({ toolUse }),
  z.strictObject({ toolResult }),
  z.strictObject({ cachePoint }),
]);

const body = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(block).min(1) }))
    .min(1),
  system: z
    .array(z.union([z.strictObject({ text: notBlank }), z.strictObject({ cachePoint })]))
    .optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(filled).max(2_500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({
              toolSpec: z.strictObject({
                name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
                description: filled.optional(),
                inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
                strict: z.boolean().optional(),
              }),
            }),
            z.strictObject({ cachePoint }),
          ]),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name: filled }) }),
        ])
        .optional(),
    })
    .optional(),
  guardrailConfig: z
    .strictObject({
      guardrailIdentifier: z
        .string()
        .regex(/^([a-z0-9]+|arn:aws[a-z-]*:bedrock:[a-z0-9-]+:\d{12}:guardrail\/[a-z0-9]+)$/),
      guardrailVersion: z.string().regex(/^([1-9]\d{0,7}|DRAFT)$/),
      trace: z.enum(["enabled", "disabled", "enabled_full"]).optional(),
      streamProcessingMode: z.enum(["sync", "async"]).optional(),
    })
    .optional(),
  additionalModelRequestFields: json.optional(),
  additionalModelResponseFieldPaths: z.array(z.string().regex(/^\//)).max(10).optional(),
});
export type ConverseBody = z.infer<typeof body>;

/** The error of a request, in the original's style, or null. */
export function refuseConverse(value: unknown): string | null {
  const read = body.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `Malformed input request: ${issue?.path.join("/") || "#"}: ${issue?.message}, please reformat your input and try again.`;
  }
  return refuseOrder(read.data) ?? refuseDocuments(read.data) ?? refuseThinking(read.data);
}

function refuseOrder({ messages, toolConfig }: ConverseBody): string | null {
  if (messages[0]!.role !== "user")
    return "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
  for (const [index, { role, content }] of messages.entries()) {
    const next = messages[index + 1];
    if (next?.role === role) return "Roles must alternate between user and assistant.";
    const used = content.flatMap((part) => ("toolUse" in part ? [part.toolUse.toolUseId] : []));
    const answered = (next?.content ?? []).flatMap((part) =>
      "toolResult" in part ? [part.toolResult.toolUseId] : [],
    );
    if (used.length > 0 && !toolConfig)
      return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
    if (used.toSorted().join() !== answered.toSorted().join())
      return "Expected toolResult blocks for the ids of the toolUse blocks of the message before.";
  }
  return null;
}

function refuseDocuments({ messages }: ConverseBody): string | null {
  const names = messages.flatMap(({ content }) =>
    content.flatMap((part) => ("document" in part ? [part.document.name] : [])),
  );
  if (new Set(names).size !== names.length)
    return "The documents in a request must have different names.";
  const alone = messages.some(
    ({ content }) =>
      content.some((part) => "document" in part) && !content.some((part) => "text" in part),
  );
  return alone ? "A content block with a document must be accompanied by a text block." : null;
}

function refuseThinking({
  additionalModelRequestFields: fields,
  inferenceConfig,
}: ConverseBody): string | null {
  const thinking = fields?.thinking as { budget_tokens?: number } | undefined;
  if (thinking?.budget_tokens === undefined) return null;
  if (thinking.budget_tokens < 1_024)
    return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  return thinking.budget_tokens < (inferenceConfig?.maxTokens ?? 0)
    ? null
    : "`max_tokens` must be greater than `thinking.budget_tokens`.";
}
