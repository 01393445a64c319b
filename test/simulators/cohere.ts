import { z } from "zod";
import type { Behaviour, Gates, Post } from "./kit/behaviour.ts";
import { type AnswerWire, streamAnswer, wordsOf } from "./kit/chat-stream.ts";
import { json } from "./kit/json.ts";
import { readJsonBody, replyPaid, sayRefusal } from "./kit/paid.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Cohere = Omit<Simulator, "origin"> & { url: string; key: string };

const filled = z.string().min(1);
const text = z.strictObject({ type: z.literal("text"), text: filled });
const picture = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({
    url: z.string().regex(/^data:image\/\w+;base64,/),
    detail: z.enum(["auto", "low", "high"]).optional(),
  }),
});
const call = z.strictObject({
  id: filled,
  type: z.literal("function"),
  function: z.strictObject({ name: filled, arguments: z.string() }),
});
const message = z.union([
  z.strictObject({ role: z.literal("system"), content: filled }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([filled, z.array(z.union([text, picture])).min(1)]),
  }),
  z.strictObject({ role: z.literal("assistant"), content: filled }),
  z.strictObject({
    role: z.literal("assistant"),
    tool_calls: z.array(call).min(1),
    tool_plan: z.string().optional(),
    content: z.string().optional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: filled, content: z.string() }),
]);
/** POST /v2/chat (https://docs.cohere.com/reference/chat). */
const chat = z
  .strictObject({
    model: filled,
    messages: z.array(message).min(1),
    stream: z.literal(true),
    tools: z
      .array(
        z.strictObject({
          type: z.literal("function"),
          function: z.strictObject({
            name: filled,
            description: z.string().optional(),
            parameters: z.looseObject({ type: z.literal("object") }),
          }),
        }),
      )
      .optional(),
    tool_choice: z.enum(["REQUIRED", "NONE"]).optional(),
    documents: z
      .array(z.strictObject({ id: z.string().optional(), data: z.record(z.string(), z.string()) }))
      .optional(),
    response_format: z
      .strictObject({
        type: z.literal("json_object"),
        json_schema: z.looseObject({ type: z.literal("object") }).optional(),
      })
      .optional(),
    max_tokens: z.int().positive().optional(),
    stop_sequences: z.array(filled).max(5).optional(),
    temperature: z.number().min(0).optional(),
    seed: z.int().optional(),
    k: z.int().min(0).max(500).optional(),
    p: z.number().min(0.01).max(0.99).optional(),
    frequency_penalty: z.number().min(0).max(1).optional(),
    presence_penalty: z.number().min(0).max(1).optional(),
    thinking: z
      .strictObject({
        type: z.enum(["enabled", "disabled"]),
        token_budget: z.int().positive().optional(),
      })
      .optional(),
  })
  // "Not supported in combination".
  .refine(({ response_format: shape, tools, documents }) => !shape || (!tools && !documents));
/** POST /v2/embed (https://docs.cohere.com/reference/embed). */
const embed = z.strictObject({
  model: filled,
  texts: z.array(filled).min(1).max(96),
  input_type: z.enum(["search_document", "search_query", "classification", "clustering"]),
  embedding_types: z.array(z.literal("float")),
  truncate: z.enum(["NONE", "START", "END"]).optional(),
  output_dimension: z
    .union([z.literal(256), z.literal(512), z.literal(1_024), z.literal(1_536)])
    .optional(),
});
type ChatBody = z.infer<typeof chat>;

const models = [
  {
    name: "command-sim",
    endpoints: ["chat"],
    context_length: 256_000,
    features: ["tools", "vision", "reasoning", "json_schema"],
    is_deprecated: false,
  },
  {
    name: "embed-sim",
    endpoints: ["embed"],
    context_length: 8_192,
    features: null,
    is_deprecated: false,
  },
  {
    name: "rerank-sim",
    endpoints: ["rerank"],
    context_length: 4_096,
    features: null,
    is_deprecated: false,
  },
];

const error = (status: number, words: string): Refusal => ({
  status,
  body: { id: "e-1", message: words },
});

/** A strict server of Cohere's API: models in pages of one, chat as events, embeddings. */
export async function startCohere(): Promise<Cohere> {
  const key = "co-simulated-key-0000";
  const wrongKey = ({ headers }: Call) =>
    headers.authorization === `Bearer ${key}` ? null : error(401, "invalid api token");
  const wire: ProviderWire = {
    answerFree(asked) {
      if (asked.method !== "GET") return false;
      const refusal = wrongKey(asked);
      if (refusal) return sayRefusal(asked, refusal);
      if (asked.url.pathname !== "/v1/models") return false;
      const from = Number(asked.url.searchParams.get("page_token") ?? 0);
      json(asked.response, {
        models: models.slice(from, from + 1),
        ...(from + 1 < models.length && { next_page_token: String(from + 1) }),
      });
      return true;
    },
    refuse(asked, post) {
      const refusal = wrongKey(asked);
      if (refusal) return refusal;
      const schema = post.path === "/v2/chat" ? chat : post.path === "/v2/embed" ? embed : null;
      if (!schema) return error(404, "not found");
      const read = schema.safeParse(readJsonBody(asked, post));
      return read.success ? null : error(422, z.prettifyError(read.error));
    },
    answer: (given) => (given.post.path === "/v2/chat" ? answerChat(given) : answerEmbed(given)),
    errorBody: (_status, words) => ({ id: "e-1", message: words }),
  };
  const { origin, ...simulator } = await startSimulator(wire);
  return { ...simulator, url: origin, key };
}

const answerEmbed = (given: Parameters<ProviderWire["answer"]>[0]) => {
  const { texts } = given.post.body as { texts: string[] };
  return replyPaid(given, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      id: "e",
      texts,
      embeddings: { float: texts.map((_, index) => [0.1 + index, 0.2, 0.3]) },
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: 4 } },
    }),
  });
};

/** The documented events (https://docs.cohere.com/docs/streaming). */
async function answerChat(given: {
  call: Call;
  post: Post;
  behaviour: Behaviour;
  gates: Gates;
}): Promise<void> {
  const { behaviour, post } = given;
  const body = post.body as ChatBody;
  const all = wordsOf(behaviour, lastText(body));
  const words = all.slice(0, body.max_tokens);
  const reason =
    behaviour.finishReason ??
    (behaviour.toolCalls ? "TOOL_CALL" : words.length < all.length ? "MAX_TOKENS" : "COMPLETE");
  const tokens = { input_tokens: 7, output_tokens: words.length };
  const event = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const said = (content: object) => ({ delta: { message: { content } } });
  let index = -1;
  let open = "";
  const close = () => {
    const ended = open ? [event("content-end", { index })] : [];
    open = "";
    return ended;
  };
  const into = (type: string) => {
    if (open === type) return [];
    const ended = close();
    open = type;
    index++;
    return [...ended, event("content-start", { index, ...said({ type, [type]: "" }) })];
  };
  const cite = body.documents?.map(({ data }, index) => ({
    start: 0,
    end: 3,
    text: "one",
    sources: [{ type: "document", id: `doc:${index}`, document: { id: `doc:${index}`, ...data } }],
  }));
  const wire: AnswerWire = {
    contentType: "text/event-stream",
    start: () => [
      event("message-start", {
        id: "m-1",
        delta: {
          message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] },
        },
      }),
    ],
    reasoning: (thinking) => [
      ...into("thinking"),
      event("content-delta", { index, ...said({ thinking }) }),
    ],
    word: (word) => [...into("text"), event("content-delta", { index, ...said({ text: word }) })],
    toolCalls: (calls) => [
      ...close(),
      ...calls.flatMap(({ name, input }, index) => {
        const written = JSON.stringify(input);
        const piece = (fields: object) => ({
          index,
          delta: { message: { tool_calls: fields } },
        });
        return [
          event(
            "tool-call-start",
            piece({ id: `${name}_${index}`, type: "function", function: { name, arguments: "" } }),
          ),
          ...[written.slice(0, 4), written.slice(4)].map((part) =>
            event("tool-call-delta", piece({ function: { arguments: part } })),
          ),
          event("tool-call-end", { index }),
        ];
      }),
    ],
    finish: () => [
      ...(cite ?? []).flatMap((citations, index) => [
        event("citation-start", { index, delta: { message: { citations } } }),
        event("citation-end", { index }),
      ]),
      ...close(),
      event("message-end", {
        delta: { finish_reason: reason, usage: { billed_units: tokens, tokens } },
      }),
    ],
    last: () => [],
    error: (failure) => [
      event("message-end", {
        delta: { error: failure, finish_reason: "ERROR", usage: { billed_units: tokens, tokens } },
      }),
    ],
    unreadable: 'event: content-delta\ndata: {"type":"content-delta","index":NaN}\n\n',
    halfCharacter: Buffer.concat([
      Buffer.from('event: content-delta\ndata: {"type":"content-delta","delta":"'),
      Buffer.from("é").subarray(0, 1),
    ]),
  };
  await streamAnswer(wire, words, { ...given, response: given.call.response });
}

function lastText({ messages }: ChatBody): string {
  const { content = "" } = messages.at(-1)!;
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ");
}
