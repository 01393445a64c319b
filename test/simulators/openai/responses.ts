import { argumentsOf, type Behaviour, type Gates, type Post } from "../kit/behaviour.ts";
import { type AnswerWire, streamAnswer, wordsOf } from "../kit/chat-stream.ts";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";
import { makePng } from "../openai-compatible/media.ts";
import type { StoredFile } from "./documents.ts";
import type { ResponsesBody } from "./strict.ts";

export type StoredResponse = { id: string; status: string; [field: string]: unknown };
type Item = Record<string, unknown> & { id: string; type: string };

/** Answers POST /v1/responses at once or as a stream of its documented events. */
export async function answerResponse(given: {
  call: Call;
  post: Post;
  behaviour: Behaviour;
  gates: Gates;
  /** Documents that file search finds. */
  documents?: readonly StoredFile[];
}): Promise<void> {
  const { behaviour, post, call, documents = [] } = given;
  const body = post.body as ResponsesBody;
  const { words, usage, reason } = say(body, behaviour);
  if (!body.stream) return json(call.response, whole(body, behaviour, "resp_1"));

  let sequence = 0;
  const items: Item[] = [];
  let open: Item | null = null;
  const response = (status: string, more: object = {}) => ({
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    model: body.model,
    status,
    ...more,
  });
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const place = () => ({ item_id: open!.id, output_index: items.length - 1 });

  function close(): string[] {
    if (!open) return [];
    const item = open;
    const events: string[] = [];
    if (item.type === "reasoning") {
      events.push(event("response.reasoning_summary_part.done", { ...place(), summary_index: 0 }));
      item.encrypted_content = "Z2VoZWlt";
    }
    if (item.type === "message")
      events.push(
        event("response.output_text.done", {
          ...place(),
          content_index: 0,
          text: "",
          logprobs: [],
        }),
      );
    events.push(event("response.output_item.done", { output_index: items.length - 1, item }));
    open = null;
    return events;
  }
  function into(item: Item, first: () => string[]): string[] {
    if (open?.type === item.type && item.type !== "function_call") return [];
    const closed = close();
    items.push(item);
    open = item;
    return [
      ...closed,
      event("response.output_item.added", { output_index: items.length - 1, item }),
      ...first(),
    ];
  }
  const message = (): Item => ({
    id: `msg_${items.length}`,
    type: "message",
    role: "assistant",
    status: "in_progress",
    content: [],
  });

  const wire: AnswerWire = {
    contentType: "text/event-stream; charset=utf-8",
    start: () => [
      event("response.created", { response: response("in_progress") }),
      event("response.in_progress", { response: response("in_progress") }),
    ],
    reasoning: (thought) => [
      ...into(
        { id: `rs_${items.length}`, type: "reasoning", summary: [], encrypted_content: "" },
        () => [
          event("response.reasoning_summary_part.added", {
            ...place(),
            summary_index: 0,
            part: { type: "summary_text", text: "" },
          }),
        ],
      ),
      event("response.reasoning_summary_text.delta", {
        ...place(),
        summary_index: 0,
        delta: thought,
      }),
    ],
    word: (word) => [
      ...into(message(), () => [
        event("response.content_part.added", {
          ...place(),
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        }),
      ]),
      event("response.output_text.delta", {
        ...place(),
        content_index: 0,
        delta: word,
        logprobs: body.include?.includes("message.output_text.logprobs")
          ? [
              {
                token: word,
                bytes: [...Buffer.from(word)],
                logprob: -0.5,
                top_logprobs: Array.from({ length: body.top_logprobs ?? 0 }, (_, place) => ({
                  token: word,
                  bytes: [...Buffer.from(word)],
                  logprob: -0.5 - place,
                })),
              },
            ]
          : [],
      }),
    ],
    toolCalls: (calls) =>
      toItems(calls).flatMap((item) => {
        const pieces = [item.arguments.slice(0, 4), item.arguments.slice(4)];
        const events = [
          ...into({ ...item, arguments: "", status: "in_progress" }, () => []),
          ...pieces.map((delta) =>
            event("response.function_call_arguments.delta", { ...place(), delta }),
          ),
          event("response.function_call_arguments.done", { ...place(), arguments: item.arguments }),
        ];
        Object.assign(open!, item);
        return events;
      }),
    finish: () => {
      const looked = searchesOf(body, behaviour, "file_search").map((index) =>
        lookUp(items.length + index, documents, body),
      );
      const found = [
        ...looked,
        ...searchesOf(body, behaviour).map((index) => search(items.length + looked.length + index)),
      ];
      const cited =
        found[0]?.annotation && open
          ? [
              event("response.output_text.annotation.added", {
                ...place(),
                content_index: 0,
                annotation_index: 0,
                annotation: found[0].annotation,
              }),
            ]
          : [];
      const hunted = found.flatMap(({ item, between, ...begun }, index) => {
        const at = { output_index: items.length + index };
        return [
          event("response.output_item.added", {
            ...at,
            item: { ...item, ...begun.begun, status: "in_progress" },
          }),
          ...(between ?? []).map((type) => event(type, { ...at, item_id: item.id })),
          event("response.output_item.done", { ...at, item }),
        ];
      });
      const incomplete = reason !== null && { incomplete_details: { reason } };
      const status = reason === null ? "completed" : "incomplete";
      const { codes, pictures } = usesOf(body, behaviour, found.length);
      const named =
        codes.length > 0 && open
          ? [
              event("response.output_text.annotation.added", {
                ...place(),
                content_index: 0,
                annotation_index: found.length,
                annotation: madeFile,
              }),
            ]
          : [];
      let next = items.length + found.length;
      const made = [...codes.map(toCode), ...pictures.map(toPicture)].flatMap(
        ({ item, between }) => {
          const at = { output_index: next++ };
          const begun = Object.fromEntries(
            Object.entries(item).filter(([field]) => field !== "result"),
          );
          return [
            event("response.output_item.added", {
              ...at,
              item: { ...begun, status: "in_progress" },
            }),
            ...between.map(({ type, ...fields }) =>
              event(type, { ...at, item_id: item.id, ...fields }),
            ),
            event("response.output_item.done", { ...at, item }),
          ];
        },
      );
      return [
        ...cited,
        ...named,
        ...close(),
        ...hunted,
        ...made,
        event(`response.${status}`, {
          response: response(status, { output: items, usage, ...incomplete }),
        }),
      ];
    },
    last: () => [],
    // Sent in a separate event, or in the response that ends with it.
    error: (error) => {
      const { failed } = error as { failed?: object };
      return [
        failed
          ? event("response.failed", { response: response("failed", { error: failed }) })
          : event("error", { param: null, ...(error as object) }),
      ];
    },
    unreadable:
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":NaN}\n\n',
    halfCharacter: Buffer.concat([
      Buffer.from(
        'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"',
      ),
      Buffer.from("é").subarray(0, 1),
    ]),
  };
  await streamAnswer(wire, words, { ...given, response: call.response });
}

/** A finished response in the form of GET /v1/responses/{id}. */
export function whole(body: ResponsesBody, behaviour: Behaviour, id: string): StoredResponse {
  const { words, usage, reason } = say(body, behaviour);
  const found = searchesOf(body, behaviour).map((index) => search(9 + index));
  const text = {
    type: "output_text",
    text: words.join(""),
    annotations: found.slice(0, 1).map(({ annotation }) => annotation),
    logprobs: [],
  };
  const thought = behaviour.reasoning && {
    id: "rs_0",
    type: "reasoning",
    summary: behaviour.reasoning.map((summary) => ({ type: "summary_text", text: summary })),
    encrypted_content: "Z2VoZWlt",
  };
  const output = [
    ...(thought ? [thought] : []),
    ...found.map(({ item }) => item),
    { id: "msg_0", type: "message", role: "assistant", status: "completed", content: [text] },
    ...toItems(behaviour.toolCalls ?? []),
  ];
  const status = reason === null ? "completed" : "incomplete";
  return {
    id,
    object: "response",
    created_at: 1_700_000_000,
    model: body.model,
    status,
    output,
    usage,
    error: null,
    incomplete_details: reason === null ? null : { reason },
  };
}

function say(body: ResponsesBody, behaviour: Behaviour) {
  const all = wordsOf(behaviour, lastText(body));
  const words = all.slice(0, body.max_output_tokens);
  const counted = {
    input_tokens: JSON.stringify(body.input).split(/\s+/).length,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: words.length,
    output_tokens_details: { reasoning_tokens: behaviour.reasoning?.length ?? 0 },
  };
  const reason = behaviour.finishReason ?? (words.length < all.length ? "max_output_tokens" : null);
  return {
    words,
    usage: {
      ...counted,
      ...behaviour.usage,
      total_tokens: counted.input_tokens + counted.output_tokens,
    },
    reason,
  };
}

const toItems = (calls: NonNullable<Behaviour["toolCalls"]>) =>
  calls.map((call, index) => ({
    id: `fc_${index + 1}`,
    type: "function_call",
    call_id: `call_${index + 1}`,
    name: call.name,
    arguments: argumentsOf(call),
    status: "completed",
  }));

/** The model's searches, within the limit of its tool calls. */
function searchesOf(
  body: ResponsesBody,
  { searches = 1 }: Behaviour,
  tool: "web_search" | "file_search" = "web_search",
): number[] {
  if (!body.tools?.some(({ type }) => type === tool)) return [];
  return [...Array(Math.min(searches, body.max_tool_calls ?? searches)).keys()];
}

/** The tool uses within the rest of the limit, which applies to all tools together. */
function usesOf(body: ResponsesBody, { toolUses = 1 }: Behaviour, searched: number) {
  let left = (body.max_tool_calls ?? Number.POSITIVE_INFINITY) - searched;
  const usesOfTool = (name: string): number[] => {
    const allowed = body.tools?.some(({ type }) => type === name);
    const times = allowed ? Math.max(0, Math.min(toolUses, left)) : 0;
    left -= times;
    return [...Array(times).keys()];
  };
  return { codes: usesOfTool("code_interpreter"), pictures: usesOfTool("image_generation") };
}

/** The file that a program in the simulator's only container writes. */
export const madeFile = {
  type: "container_file_citation",
  container_id: "cntr_1",
  file_id: "cfile_1",
  filename: "table.csv",
  start_index: 0,
  end_index: 1,
};
export const madeFileWords = "boat,length\ndory,5\n";

const toCode = (index: number) => ({
  item: {
    id: `ci_${index}`,
    type: "code_interpreter_call",
    container_id: madeFile.container_id,
    code: `print(${index})`,
    outputs: [{ type: "logs", logs: `${index}` }],
    status: "completed",
  },
  between: [
    { type: "response.code_interpreter_call_code.delta", delta: `print(${index})` },
    { type: "response.code_interpreter_call_code.done", code: `print(${index})` },
  ],
});

const pictureOf = (index: number): string =>
  makePng("from a tool", index, 64, 64).toString("base64");

const toPicture = (index: number) => ({
  item: {
    id: `ig_${index}`,
    type: "image_generation_call",
    status: "completed",
    result: pictureOf(index),
  },
  between: [
    {
      type: "response.image_generation_call.partial_image",
      partial_image_index: 0,
      partial_image_b64: pictureOf(index),
    },
  ],
});

type Hunt = {
  item: Item;
  /** Fields of the item while it is in progress. */
  begun?: object;
  between?: string[];
  annotation?: object;
};

const search = (index: number): Hunt => ({
  item: {
    id: `ws_${index}`,
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query: "simulated" },
  },
  annotation: {
    type: "url_citation",
    url: "https://example.org/found",
    title: "What was found",
    start_index: 0,
    end_index: 1,
  },
});

/** Finds every document and cites the first. */
function lookUp(index: number, documents: readonly StoredFile[], body: ResponsesBody): Hunt {
  const [first] = documents;
  const results = documents.map(({ id, filename, text }) => ({
    attributes: {},
    file_id: id,
    filename,
    score: 0.9,
    text,
  }));
  const isIncluded = body.include?.includes("file_search_call.results");
  return {
    item: {
      id: `fs_${index}`,
      type: "file_search_call",
      status: "completed",
      queries: ["simulated"],
      results: isIncluded ? results : null,
    },
    begun: { queries: [], results: null },
    between: ["in_progress", "searching", "completed"].map(
      (state) => `response.file_search_call.${state}`,
    ),
    ...(first && {
      annotation: {
        type: "file_citation",
        index: 1,
        file_id: first.id,
        filename: first.filename,
      },
    }),
  };
}

function lastText({ input }: ResponsesBody): string {
  if (typeof input === "string") return input;
  const last = input.at(-1)!;
  if (last.type === "function_call_output") return last.output;
  if (!("content" in last)) return "";
  if (typeof last.content === "string") return last.content;
  return last.content.map((part) => ("text" in part ? part.text : `[${part.type}]`)).join(" ");
}
