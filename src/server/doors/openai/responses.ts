import type { Problem } from "#contract/errors.ts";
import {
  furtherParameters,
  notUsedByResponses,
  type ResponseBody,
  responseParameters,
} from "#contract/schemas/doors/openai.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import { anyObject, askModel, findChatModel } from "../programs/ask.ts";
import {
  type Asking,
  endOf,
  followToAnswer,
  headersOf,
  successOf,
  type Unmet,
  unusedOf,
} from "../programs/follow.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { answerOf, saidIn, shapeOf } from "./chat.ts";
import { toOpenAiError } from "./errors.ts";
import { itemIdOf } from "./item-ids.ts";
import { turnsBefore } from "./kept-responses.ts";
import {
  callItem,
  frameOf,
  messageItem,
  reasoningItem,
  responseOf,
  type Started,
  textOf,
} from "./response-object.ts";
import { type OfferedTool, readTools } from "./tools.ts";
import { turnsOfItems } from "./turns.ts";

/** POST /v1/responses (OpenAI API reference, "Responses"): one answer; what was said before comes with the request, or is that of an answer it names. */
export async function createResponse(
  deps: ServerDeps,
  asking: Asking,
  body: ResponseBody,
): Promise<Response> {
  const model = await findChatModel(deps, asking, body.model);
  const { input: _, ...asked } = body;
  const format = body.text?.format;
  const { definitions, offered, dropped: droppedTools } = readTools(body.tools ?? []);
  const choice = body.tool_choice;
  const { run, dropped: lacking } = await askModel(deps, asking, model, {
    turns: await turnsOfItems(
      deps,
      asking,
      body,
      await turnsBefore(deps, asking, body.previous_response_id),
    ),
    asked,
    settings: [
      { ours: "maxOutputTokens", theirs: "max_output_tokens", value: body.max_output_tokens },
      { ours: "temperature", theirs: "temperature", value: body.temperature },
      { ours: "topP", theirs: "top_p", value: body.top_p },
      { ours: "reasoningEffort", theirs: "reasoning.effort", value: body.reasoning?.effort },
    ],
    further: furtherParameters({ ...body, verbosity: body.text?.verbosity }, responseParameters),
    tools: definitions,
    toolChoice:
      typeof choice === "object" && choice ? { name: choice.name } : (choice ?? undefined),
    answerShape:
      format?.type === "json_schema"
        ? shapeOf(format)
        : format?.type === "json_object"
          ? anyObject
          : undefined,
    request: body,
  });
  const dropped = [...lacking, ...droppedTools];
  const unmet = { unused: unusedOf(body, notUsedByResponses), dropped };
  const headers = headersOf(run.id, dropped);
  if (body.stream) {
    const events = createEvents();
    return streamOf(deps, asking, eventsOf(deps, asking, body, run, { unmet, offered, events }), {
      headers,
      onProblem: (problem) => failedEvent(events, body, run, problem),
      keepAlive: () => (events.isBegun() ? [events.next("keepalive")] : []),
    });
  }
  const ended = await endOf(deps, asking, run.id);
  if (!ended) return answerGone;
  return asking.c.json(responseOf(body, ended, unmet), 200, headers);
}

/** The events of one response, numbered. */
function createEvents() {
  let number = 0;
  return {
    isBegun: () => number > 0,
    next: (type: string, payload: object = {}): StreamedEvent => ({
      type,
      payload: { type, sequence_number: number++, ...payload },
    }),
  };
}
type Events = ReturnType<typeof createEvents>;

/** The last event of a response that failed. OpenAI's client reads `error` of any event, Codex only events that have a type. */
function failedEvent(
  events: Events,
  body: ResponseBody,
  run: Started,
  problem: Problem,
): StreamedEvent {
  const { error } = toOpenAiError(problem);
  const { code, message } = error;
  const response = { ...frameOf(body, run), status: "failed", error: { code, message } };
  return events.next("response.failed", { error, response });
}

/** The events of a response as it comes, each with its number. */
async function* eventsOf(
  deps: ServerDeps,
  asking: Asking,
  body: ResponseBody,
  run: Started,
  {
    unmet,
    offered,
    events,
  }: { unmet: Unmet; offered: ReadonlyMap<string, OfferedTool>; events: Events },
): AsyncGenerator<StreamedEvent> {
  const event = events.next;
  let said = "";
  let thought = "";
  let items = 0;
  let isOpen: "text" | "reasoning" | null = null;
  const at = () => ({ item_id: itemIdOf("msg", run.id), output_index: items, content_index: 0 });
  const thoughtAt = () => ({
    item_id: itemIdOf("rs", run.id),
    output_index: items,
    summary_index: 0,
  });

  function* begin(): Generator<StreamedEvent> {
    if (events.isBegun()) return;
    yield event("response.created", { response: frameOf(body, run) });
    yield event("response.in_progress", { response: frameOf(body, run) });
  }
  function* close(): Generator<StreamedEvent> {
    if (isOpen === "text") {
      yield event("response.output_text.done", { ...at(), text: said, logprobs: [] });
      yield event("response.content_part.done", { ...at(), part: textOf(said) });
      yield event("response.output_item.done", {
        output_index: items,
        item: messageItem(run.id, said, "completed"),
      });
    }
    if (isOpen === "reasoning") {
      yield event("response.reasoning_summary_text.done", { ...thoughtAt(), text: thought });
      yield event("response.reasoning_summary_part.done", {
        ...thoughtAt(),
        part: { type: "summary_text", text: thought },
      });
      yield event("response.output_item.done", {
        output_index: items,
        item: reasoningItem(body, run.id, thought),
      });
    }
    if (isOpen !== null) items += 1;
    isOpen = null;
  }
  function* open(type: "text" | "reasoning"): Generator<StreamedEvent> {
    if (isOpen === type) return;
    yield* close();
    isOpen = type;
    if (type === "text") {
      yield event("response.output_item.added", {
        output_index: items,
        item: messageItem(run.id, "", "in_progress"),
      });
      yield event("response.content_part.added", { ...at(), part: textOf("") });
    } else {
      yield event("response.output_item.added", {
        output_index: items,
        item: { ...reasoningItem(body, run.id, ""), summary: [], status: "in_progress" },
      });
      yield event("response.reasoning_summary_part.added", {
        ...thoughtAt(),
        part: { type: "summary_text", text: "" },
      });
    }
  }

  for await (const news of followToAnswer(deps, asking, run.id))
    for (const part of saidIn(news)) {
      // Words come after all thinking: what is thought later goes to the end without being shown on its way.
      if (part.type === "reasoning" && said !== "") continue;
      for (const begun of [...begin(), ...open(part.type)]) yield begun;
      if (part.type === "text") {
        said += part.text;
        yield event("response.output_text.delta", { ...at(), delta: part.text, logprobs: [] });
      } else {
        thought += part.text;
        yield event("response.reasoning_summary_text.delta", { ...thoughtAt(), delta: part.text });
      }
    }
  const ended = await successOf(deps, run.id);
  yield* begin();
  const { toolCalls } = answerOf(ended);
  if (said === "" && toolCalls.length === 0) yield* open("text");
  yield* close();
  for (const [i, call] of toolCalls.entries()) {
    const item = callItem(run.id, call, i, offered);
    const of = { item_id: item.id, output_index: items };
    if (item.type === "custom_tool_call") {
      yield event("response.output_item.added", {
        output_index: items,
        item: { ...item, input: "", status: "in_progress" },
      });
      yield event("response.custom_tool_call_input.delta", { ...of, delta: item.input });
      yield event("response.custom_tool_call_input.done", { ...of, input: item.input });
    } else {
      yield event("response.output_item.added", {
        output_index: items,
        item: { ...item, arguments: "", status: "in_progress" },
      });
      yield event("response.function_call_arguments.delta", { ...of, delta: item.arguments });
      yield event("response.function_call_arguments.done", {
        ...of,
        name: item.name,
        arguments: item.arguments,
      });
    }
    yield event("response.output_item.done", { output_index: items, item });
    items += 1;
  }
  const response = responseOf(body, ended, unmet);
  yield event(`response.${response.status}`, { response });
}
