import { argumentsOf, type Behaviour, type Gates, type Post } from "../kit/behaviour.ts";
import { type AnswerWire, streamAnswer, wordsOf } from "../kit/chat-stream.ts";
import type { Call } from "../kit/server.ts";
import { type MessagesBody, runsCode } from "./strict.ts";

/** The simulator's only container, and the one file that its programs write. */
const container = { id: "container_sim", expires_at: "2099-01-01T00:00:00Z" };
export const madeFile = { id: "file_sim_1", filename: "table.csv", words: "boat,length\ndory,5\n" };

/** Answers POST /v1/messages as a stream of its documented events. */
export async function answerMessages(given: {
  call: Call;
  post: Post;
  behaviour: Behaviour;
  gates: Gates;
}): Promise<void> {
  const { behaviour, post, call } = given;
  const body = post.body as MessagesBody;
  const all = wordsOf(behaviour, lastText(body));
  const words = all.slice(0, body.max_tokens);
  const input = JSON.stringify(body.messages).split(/\s+/).length;
  const stop =
    behaviour.finishReason ??
    (behaviour.toolCalls ? "tool_use" : words.length < all.length ? "max_tokens" : "end_turn");
  const stoppedAt = stop === "stop_sequence" ? (body.stop_sequences?.[0] ?? null) : null;
  const counted = {
    input_tokens: input,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: words.length,
  };
  const usage = { ...counted, ...behaviour.usage };

  const event = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  let index = -1;
  let open: string | null = null;
  const close = () => {
    if (open === null) return [];
    const signed =
      open === "thinking"
        ? [
            event("content_block_delta", {
              index,
              delta: { type: "signature_delta", signature: "c2lnbmVk" },
            }),
          ]
        : [];
    open = null;
    return [...signed, event("content_block_stop", { index })];
  };
  /** Opens a block unless one of this type is open. */
  const into = (type: string, block: object) => {
    if (open === type && type !== "tool_use") return [];
    const closed = close();
    index++;
    open = type;
    return [...closed, event("content_block_start", { index, content_block: { type, ...block } })];
  };
  const delta = (fields: object) => event("content_block_delta", { index, delta: fields });

  /** A program, its input in pieces, and its result, each as a separate block. */
  const ran = (place: number): string[] => {
    const id = `srvtoolu_${body.messages.length}_${place}`;
    const json = JSON.stringify({ command: `python3 -c "print(${place})"` });
    const content = behaviour.toolError
      ? { type: "bash_code_execution_tool_result_error", error_code: behaviour.toolError }
      : {
          type: "bash_code_execution_result",
          stdout: `${place}\n`,
          stderr: "",
          return_code: 0,
          content: [...Array(behaviour.toolFiles ?? 1).keys()].map((file) => ({
            type: "bash_code_execution_output",
            file_id: file === 0 ? madeFile.id : `${madeFile.id}_${file}`,
          })),
        };
    return [
      ...into("server_tool_use", { id, name: "bash_code_execution", input: {} }),
      ...["", json.slice(0, 6), json.slice(6)].map((piece) =>
        delta({ type: "input_json_delta", partial_json: piece }),
      ),
      ...into("bash_code_execution_tool_result", { tool_use_id: id, content }),
      ...close(),
    ];
  };
  const runs = runsCode(body);

  const wire: AnswerWire = {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "request-id": "req_sim" },
    start: () => [
      event("message_start", {
        message: {
          id: "msg_sim",
          type: "message",
          role: "assistant",
          model: body.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, output_tokens: 1 },
        },
      }),
      event("ping"),
      ...(runs ? [...Array(behaviour.toolUses ?? 1).keys()].flatMap(ran) : []),
    ],
    reasoning: (thought) => [
      ...into("thinking", { thinking: "", signature: "" }),
      delta({ type: "thinking_delta", thinking: thought }),
    ],
    word: (word) => [...into("text", { text: "" }), delta({ type: "text_delta", text: word })],
    toolCalls: (calls) =>
      calls.flatMap((call, place) => {
        const json = argumentsOf(call);
        return [
          ...into("tool_use", { id: `toolu_${place + 1}`, name: call.name, input: {} }),
          ...["", json.slice(0, 4), json.slice(4)].map((piece) =>
            delta({ type: "input_json_delta", partial_json: piece }),
          ),
        ];
      }),
    finish: () => [
      ...(behaviour.cites ? citationsOf(body) : []).flatMap((citation, place) => [
        ...(place > 0
          ? [...into("text", { text: "" }), delta({ type: "text_delta", text: " and " })]
          : []),
        ...close(),
        ...into("text", { text: "" }),
        delta({ type: "text_delta", text: "a passage" }),
        delta({ type: "citations_delta", citation }),
        ...close(),
      ]),
      ...close(),
      event("message_delta", {
        delta: { stop_reason: stop, stop_sequence: stoppedAt, ...(runs && { container }) },
        usage,
      }),
    ],
    last: () => [event("message_stop")],
    error: (error) => [event("error", { error })],
    unreadable: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":NaN}\n\n',
    halfCharacter: Buffer.concat([
      Buffer.from(
        'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"',
      ),
      Buffer.from("é").subarray(0, 1),
    ]),
  };
  await streamAnswer(wire, words, { ...given, response: call.response });
}

function lastText({ messages }: MessagesBody): string {
  const { content } = messages.at(-1)!;
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ");
}

/** A passage of each document with enabled citations, as in the reference. */
function citationsOf({ messages }: MessagesBody): object[] {
  const documents = messages.flatMap(({ role, content }) =>
    role === "assistant" || typeof content === "string"
      ? []
      : content.filter((part) => part.type === "document"),
  );
  return documents.flatMap(({ citations, source, title }, index): object[] => {
    if (!citations?.enabled) return [];
    const named = { cited_text: "a passage", document_index: index, document_title: title ?? null };
    return source.type === "text"
      ? [{ type: "char_location", ...named, start_char_index: 0, end_char_index: 9 }]
      : [{ type: "page_location", ...named, start_page_number: 1, end_page_number: 2 }];
  });
}
