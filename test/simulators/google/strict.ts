import { z } from "zod";

/**
 * Requests according to the public reference (https://ai.google.dev/api/generate-content and
 * related pages), limited to the parts that Bottega uses.
 */
const filled = z.string().min(1);
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const object = z.record(z.string(), z.unknown());
const signed = { thoughtSignature: base64.optional() };
const blob = z.strictObject({
  mimeType: z.string().regex(/^(image|audio|video|application|text)\/[\w.+-]+$/),
  data: base64,
});
const jsonSchema = z.looseObject({});

const part = z.union([
  z.strictObject({
    text: filled,
    thought: z.boolean().optional(),
    speechMetadata: z.strictObject({ style: z.string() }).optional(),
    ...signed,
  }),
  z.strictObject({ inlineData: blob, ...signed }),
  z.strictObject({
    functionCall: z.strictObject({ id: filled.optional(), name: filled, args: object.optional() }),
    ...signed,
  }),
  z.strictObject({
    executableCode: z.strictObject({ language: z.literal("PYTHON"), code: filled }),
    ...signed,
  }),
  z.strictObject({
    codeExecutionResult: z.strictObject({
      outcome: z.enum(["OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"]),
      output: z.string().optional(),
    }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({ id: filled.optional(), name: filled, response: object }),
  }),
]);
const content = z.strictObject({
  role: z.enum(["user", "model"]).optional(),
  parts: z.array(part).min(1),
});

const generationConfig = z.strictObject({
  maxOutputTokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().positive().optional(),
  frequencyPenalty: z.number().min(-2).lt(2).optional(),
  presencePenalty: z.number().min(-2).lt(2).optional(),
  seed: z.int().optional(),
  stopSequences: z.array(filled).max(5).optional(),
  responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
  responseJsonSchema: jsonSchema.optional(),
  responseModalities: z.array(z.enum(["TEXT", "IMAGE", "AUDIO"])).optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z.enum(["minimal", "low", "medium", "high"]).optional(),
    })
    .optional(),
  imageConfig: z
    .strictObject({
      aspectRatio: z
        .enum(["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"])
        .optional(),
      imageSize: z.enum(["1K", "2K", "4K"]).optional(),
    })
    .optional(),
  speechConfig: z
    .strictObject({
      voiceConfig: z
        .strictObject({ prebuiltVoiceConfig: z.strictObject({ voiceName: filled }) })
        .optional(),
      languageCode: filled.optional(),
    })
    .optional(),
});

const generate = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({
      role: z.string().optional(),
      parts: z.array(z.strictObject({ text: filled })).min(1),
    })
    .optional(),
  generationConfig: generationConfig.optional(),
  safetySettings: z
    .array(
      z.strictObject({
        category: z.enum([
          "HARM_CATEGORY_HATE_SPEECH",
          "HARM_CATEGORY_DANGEROUS_CONTENT",
          "HARM_CATEGORY_HARASSMENT",
          "HARM_CATEGORY_SEXUALLY_EXPLICIT",
        ]),
        threshold: z.enum([
          "BLOCK_LOW_AND_ABOVE",
          "BLOCK_MEDIUM_AND_ABOVE",
          "BLOCK_ONLY_HIGH",
          "BLOCK_NONE",
          "OFF",
        ]),
      }),
    )
    .optional(),
  tools: z
    .array(
      z.union([
        z.strictObject({
          functionDeclarations: z
            .array(
              z.strictObject({
                name: z.string().regex(/^[\w.:-]{1,64}$/),
                description: z.string(),
                parametersJsonSchema: jsonSchema.optional(),
              }),
            )
            .min(1),
        }),
        z.strictObject({ googleSearch: z.strictObject({}) }),
        z.strictObject({ codeExecution: z.strictObject({}) }),
      ]),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z
        .strictObject({
          mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]),
          allowedFunctionNames: z.array(filled).optional(),
        })
        .optional(),
      includeServerSideToolInvocations: z.boolean().optional(),
    })
    .optional(),
});
export type GenerateBody = z.infer<typeof generate>;

const embed = z.strictObject({
  model: z.string().startsWith("models/").optional(),
  content: z.strictObject({ parts: z.array(z.strictObject({ text: filled })).min(1) }),
  outputDimensionality: z.int().positive().optional(),
  taskType: filled.optional(),
});

/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
const embedBatch = z.strictObject({
  requests: z
    .array(
      embed.extend({ content: embed.shape.content.extend({ role: z.literal("user").optional() }) }),
    )
    .min(1)
    .max(100),
});

const embedding = z.strictObject({
  instances: z
    .array(
      z.strictObject({ content: filled, task_type: filled.optional(), title: filled.optional() }),
    )
    .min(1)
    .max(250),
  parameters: z
    .strictObject({
      outputDimensionality: z.int().positive().optional(),
      autoTruncate: z.boolean().optional(),
    })
    .optional(),
});

const people = z.enum(["dont_allow", "allow_adult", "allow_all"]).optional();
const imagen = z.strictObject({
  instances: z.array(z.strictObject({ prompt: filled })).length(1),
  parameters: z.strictObject({
    sampleCount: z.int().min(1).max(4).optional(),
    aspectRatio: z.enum(["1:1", "3:4", "4:3", "9:16", "16:9"]).optional(),
    sampleImageSize: z.enum(["1K", "2K"]).optional(),
    personGeneration: people,
    includeRaiReason: z.boolean().optional(),
  }),
});

const inline = z.strictObject({
  bytesBase64Encoded: base64,
  mimeType: z.enum(["image/png", "image/jpeg", "image/webp"]),
});
const veo = z.strictObject({
  instances: z
    .array(
      z.strictObject({
        prompt: filled,
        image: inline.optional(),
        lastFrame: inline.optional(),
        referenceImages: z
          .array(z.strictObject({ image: inline, referenceType: z.literal("asset") }))
          .max(3)
          .optional(),
      }),
    )
    .length(1),
  parameters: z.strictObject({
    aspectRatio: z.enum(["16:9", "9:16"]).optional(),
    resolution: z.enum(["720p", "1080p", "4k"]).optional(),
    sampleCount: z.int().min(1).max(4).optional(),
    durationSeconds: z.int().min(4).max(8).optional(),
    negativePrompt: filled.optional(),
    personGeneration: people,
    seed: z.int().optional(),
    storageUri: z.string().startsWith("gs://").optional(),
  }),
});

const bodies: Readonly<Record<string, z.ZodType>> = {
  generateContent: generate,
  streamGenerateContent: generate,
  embedContent: embed,
  batchEmbedContents: embedBatch,
  predict: imagen,
  predictLongRunning: veo,
  // https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/projects.locations.endpoints/countTokens
  countTokens: generate.pick({ contents: true, systemInstruction: true, tools: true }),
  fetchPredictOperation: z.strictObject({ operationName: filled }),
};

/** https://ai.google.dev/api/tokens: only a text, or the whole request. */
const geminiCount = z.union([
  z.strictObject({ contents: z.array(content).min(1) }),
  z.strictObject({
    generateContentRequest: generate.extend({ model: z.string().startsWith("models/") }),
  }),
]);
/** The error of a request to the Gemini API's countTokens. */
export const refuseCount = (value: unknown): string | null =>
  geminiCount.safeParse(value).success ? null : "Invalid JSON payload received.";

/** The error of a request, in the original's words, or null. */
export function refuseBody(model: string, method: string, value: unknown): string | null {
  const schema = method === "predict" && model.includes("embedding") ? embedding : bodies[method];
  const { instances } = value as { instances?: unknown[] };
  if (schema === embedding && model.startsWith("gemini") && instances?.length !== 1)
    return "The model takes one instance in a request.";
  if (!schema) return `Method ${method} is not known.`;
  const read = schema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `Invalid JSON payload received. ${issue?.path.join(".") || "body"}: ${issue?.message}`;
  }
  return schema === generate
    ? (refuseOrder(model, read.data as GenerateBody) ??
        refuseThinking(model, read.data as GenerateBody))
    : null;
}

/**
 * Each call is answered in the next turn, which contains no other results; newer models require the
 * signatures of their thoughts.
 */
function refuseOrder(model: string, { contents, tools = [] }: GenerateBody): string | null {
  if (contents[0]!.role === "model")
    return "Please ensure that single turn requests end with a user role.";
  const runs = tools.some((tool) => "codeExecution" in tool);
  for (const { parts } of contents) {
    for (const [index, part] of parts.entries()) {
      if ("executableCode" in part && !runs) return "Code execution is not enabled.";
      const next = parts[index + 1] ?? {};
      if ("executableCode" in part !== "codeExecutionResult" in next)
        return "Please ensure that an executable code part is followed by its result.";
    }
  }
  for (const [index, { parts }] of contents.entries()) {
    const calls = parts.flatMap((one) => ("functionCall" in one ? [one] : []));
    const answers = (contents[index + 1]?.parts ?? []).flatMap((one) =>
      "functionResponse" in one ? [one.functionResponse.name] : [],
    );
    if (calls.length !== answers.length) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    const [first] = calls;
    if (first && !model.startsWith("gemini-2") && first.thoughtSignature !== signature) {
      return `Function call is missing a thought_signature in functionCall parts. Function \`${first.functionCall.name}\`.`;
    }
  }
  return null;
}

/** The simulator's signature of its calls. */
export const signature = "c2lnbmVk";

function refuseThinking(model: string, { generationConfig: config }: GenerateBody): string | null {
  const { thinkingBudget, thinkingLevel } = config?.thinkingConfig ?? {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    return "You can only set only one of thinking budget and thinking level.";
  return thinkingLevel !== undefined && model.startsWith("gemini-2")
    ? "Thinking level is not supported for this model."
    : null;
}
