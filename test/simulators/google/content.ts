import type { Behaviour, Gates, Post } from "../kit/behaviour.ts";
import { type AnswerWire, streamAnswer, wordsOf } from "../kit/chat-stream.ts";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";
import { type GenerateBody, signature } from "./strict.ts";

type Given = { call: Call; post: Post; behaviour: Behaviour; gates: Gates };

/** A one-pixel picture. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * Answers streamGenerateContent?alt=sse: each event is a complete GenerateContentResponse. Tool
 * calls arrive complete, the first with a signature, and an answer with tool calls ends with STOP
 * like any other. Vertex AI gives calls no ids.
 */
export async function streamContent(
  given: Given,
  model: string,
  { namesCalls = true } = {},
): Promise<void> {
  const { behaviour, post, call } = given;
  const body = post.body as GenerateBody;
  const draws = body.generationConfig?.responseModalities?.includes("IMAGE");
  const searches = body.tools?.some((tool) => "googleSearch" in tool);
  const all = draws ? [] : wordsOf(behaviour, lastText(body));
  const words = all.slice(0, body.generationConfig?.maxOutputTokens);
  const thoughts = behaviour.reasoning?.length ?? 0;
  const prompt = JSON.stringify(body.contents).split(/\s+/).length;
  const usageMetadata = {
    promptTokenCount: prompt,
    candidatesTokenCount: words.length,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + words.length + thoughts,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
    ...(draws && {
      candidatesTokenCount: 1_290,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
    }),
    ...behaviour.usage,
  };

  const event = (fields: object) =>
    `data: ${JSON.stringify({ ...fields, usageMetadata, modelVersion: model, responseId: "resp_sim" })}\r\n\r\n`;
  const parts = (...said: object[]) =>
    event({ candidates: [{ content: { role: "model", parts: said }, index: 0 }] });
  const finishReason =
    behaviour.finishReason ?? (words.length < all.length ? "MAX_TOKENS" : "STOP");
  const groundingMetadata = {
    webSearchQueries: ["what is found", "what else is found"],
    searchEntryPoint: { renderedContent: "<div></div>" },
    groundingChunks: [{ web: { uri: "https://example.org/found", title: "What was found" } }],
    groundingSupports: [{ segment: lastOf(words), groundingChunkIndices: [0] }],
  };

  const runs = body.tools?.some((tool) => "codeExecution" in tool);
  /** Each in a separate event: a program, its result, and the picture that it drew. */
  const ran = (place: number): string[] => [
    parts({ executableCode: { language: "PYTHON", code: `print(${place})` } }),
    parts({
      codeExecutionResult: behaviour.toolError
        ? { outcome: behaviour.toolError, output: "NameError" }
        : { outcome: "OUTCOME_OK", output: `${place}\n` },
    }),
    ...(behaviour.toolError ? [] : [parts({ inlineData: { mimeType: "image/png", data: pixel } })]),
  ];

  const wire: AnswerWire = {
    contentType: "text/event-stream",
    start: () => (runs ? [...Array(behaviour.toolUses ?? 1).keys()].flatMap(ran) : []),
    reasoning: (thought) => [parts({ text: thought, thought: true })],
    word: (word) => [parts({ text: word })],
    toolCalls: (calls) => [
      parts(
        ...calls.map(({ name, input }, index) => ({
          functionCall: { ...(namesCalls && { id: `call_${index + 1}` }), name, args: input },
          ...(index === 0 && { thoughtSignature: signature }),
        })),
      ),
    ],
    finish: () => [
      ...(draws && finishReason === "STOP"
        ? [parts({ inlineData: { mimeType: "image/png", data: pixel } })]
        : []),
      event({
        candidates: [
          {
            content: {
              role: "model",
              parts: [{ text: "", ...(thoughts > 0 && { thoughtSignature: signature }) }],
            },
            finishReason,
            index: 0,
            ...(searches && { groundingMetadata }),
          },
        ],
      }),
    ],
    last: () => [],
    error: (error) => [`data: ${JSON.stringify({ error })}\r\n\r\n`],
    unreadable: 'data: {"candidates": [{"index": NaN}]}\r\n\r\n',
    halfCharacter: Buffer.concat([
      Buffer.from('data: {"candidates": [{"content": {"parts": [{"text": "'),
      Buffer.from("é").subarray(0, 1),
    ]),
  };
  await streamAnswer(wire, words, { ...given, response: call.response });
}

/** The segment of an answer's last word: its place in bytes. Zero is left out. */
function lastOf(words: readonly string[]): object {
  const text = words.at(-1) ?? "";
  const startIndex = Buffer.byteLength(words.slice(0, -1).join(""));
  const endIndex = startIndex + Buffer.byteLength(text);
  return { ...(startIndex > 0 && { startIndex }), endIndex, text };
}

/** Answers generateContent for speech: 24 kHz PCM, as in the older models. */
export function answerSpeech({ call, behaviour }: Given): void {
  const parts = [
    {
      inlineData: {
        mimeType: "audio/L16;codec=pcm;rate=24000",
        data: Buffer.alloc(4_800, 1).toString("base64"),
      },
    },
  ];
  const stopped = behaviour.finishReason !== undefined;
  const candidate = {
    ...(!stopped && { content: { role: "model", parts } }),
    finishReason: behaviour.finishReason ?? "STOP",
    index: 0,
  };
  json(call.response, {
    candidates: [candidate],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
  });
}

/** Answers Imagen's predict; with the finish reason SAFETY, its filter removes all pictures. */
export function answerImagen({ call, post, behaviour }: Given): void {
  const { parameters } = post.body as { parameters: { sampleCount?: number } };
  const filtered = {
    raiFilteredReason: "Unable to show generated images: they may violate the guidelines.",
  };
  const made = Array.from({ length: parameters.sampleCount ?? 4 }, () => ({
    mimeType: "image/png",
    bytesBase64Encoded: pixel,
  }));
  json(call.response, { predictions: behaviour.finishReason === "SAFETY" ? [filtered] : made });
}

/** Answers an embedding model's predict in the form of Vertex AI. */
export function answerPredictedEmbedding({ call, post }: Given): void {
  const { parameters, instances } = post.body as {
    parameters?: { outputDimensionality?: number };
    instances: { content: string }[];
  };
  const valuesOf = (text: string): number[] =>
    Array.from(
      { length: parameters?.outputDimensionality ?? 4 },
      (_, index) => (text.length + index) / 16,
    );
  json(call.response, {
    predictions: instances.map(({ content }) => ({
      embeddings: { values: valuesOf(content), statistics: { truncated: false, token_count: 2 } },
    })),
  });
}

export function answerEmbedding({ call, post }: Given): void {
  const { outputDimensionality = 4 } = post.body as { outputDimensionality?: number };
  json(call.response, {
    embedding: { values: Array.from({ length: outputDimensionality }, (_, index) => index / 10) },
  });
}

export function answerEmbeddings({ call, post }: Given): void {
  const { requests } = post.body as {
    requests: { outputDimensionality?: number; content: { parts: { text: string }[] } }[];
  };
  const embeddings = requests.map(({ outputDimensionality = 4, content }) => ({
    values: Array.from(
      { length: outputDimensionality },
      (_, index) => (content.parts[0]!.text.length + index) / 10,
    ),
  }));
  json(call.response, { embeddings });
}

function lastText({ contents }: GenerateBody): string {
  return contents
    .at(-1)!
    .parts.map((part) => ("text" in part ? part.text : `[${Object.keys(part)[0]}]`))
    .join(" ");
}
