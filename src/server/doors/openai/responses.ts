import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { furtherFields } from "#contract/schemas/doors/further-fields.ts";
import {
  countTools,
  furtherParameters,
  notUsedByResponses,
  type ResponseBody,
  responseParameters,
  tooManyTools,
} from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import { anyObject, askModel, findChatModel, passesOf } from "../programs/ask.ts";
import { type Asking, endOf, headersOf, unusedOf } from "../programs/follow.ts";
import { answerGone } from "../programs/stream.ts";
import { shapeOf } from "./chat.ts";
import { type AddedTools, type AskedResponse, responseOf } from "./response-object.ts";
import { type Before, findBefore, standingOf, streamResponse } from "./stored-responses.ts";
import { chooseTools } from "./tool-choice.ts";
import { nameInSpace, readTools } from "./tools.ts";
import { droppedOfItems, turnsOfItems } from "./turns.ts";

/**
 * POST /v1/responses (OpenAI API reference, "Responses"): returns one answer. Earlier messages come
 * with the request, or from a response that it refers to.
 */
export async function createResponse(
  deps: ServerDeps,
  caller: Asking,
  given: ResponseBody,
): Promise<Response> {
  const asking = given.background ? inBackground(caller, given) : caller;
  const model = await findChatModel(deps, asking, given.model);
  const before = await findBefore(deps, asking, given.previous_response_id);
  const added = addedTools(given, before);
  const body = withTools(given, added);
  const { input: _, ...rest } = given;
  const lacksTruncation = passesOf(deps, model)?.includes("truncation") === false;
  const asked: AskedResponse = {
    ...rest,
    ...(rest.truncation === "auto" && lacksTruncation && { truncation: "disabled" }),
    ...(added.length > 0 && { additional_tools: added }),
  };
  const format = body.text?.format;
  const read = readTools(body.tools ?? []);
  const { offered, dropped: droppedTools } = read;
  const chosen = chooseTools(read, body.tool_choice);
  const { run, dropped: lacking } = await askModel(deps, asking, model, {
    turns: () => turnsOfItems(deps, asking, body, before.turns),
    asked,
    settings: [
      { ours: "maxOutputTokens", theirs: "max_output_tokens", value: body.max_output_tokens },
      { ours: "temperature", theirs: "temperature", value: body.temperature },
      { ours: "topP", theirs: "top_p", value: body.top_p },
      { ours: "reasoningEffort", theirs: "reasoning.effort", value: body.reasoning?.effort },
    ],
    further: furtherParameters(
      { ...body, ...logprobsOf(body), verbosity: body.text?.verbosity },
      responseParameters,
    ),
    ...chosen,
    answerShape:
      format?.type === "json_schema"
        ? shapeOf(format)
        : format?.type === "json_object"
          ? anyObject
          : undefined,
    request: body,
  });
  const dropped = [
    ...lacking.map((name) => (name === "logprobs" ? logprobsWish : name)),
    ...(body.include ?? []).filter((name) => !included.includes(name)),
    ...furtherFields("reasoning", [body.reasoning ?? {}], reasoningFields),
    ...furtherFields("text", [body.text ?? {}], textFields),
    ...droppedTools,
    ...droppedOfItems(body.input),
  ];
  const unmet = { unused: unusedOf(body, notUsedByResponses), dropped };
  const headers = headersOf(run.id, dropped);
  if (body.stream) return streamResponse(deps, asking, asked, run, { unmet, offered, headers });
  if (body.background)
    return asking.c.json(await standingOf(deps, asked, run.id, unmet), 200, headers);
  const ended = await endOf(deps, asking, run.id);
  if (!ended) return answerGone;
  return asking.c.json(responseOf(asked, ended, unmet), 200, headers);
}

/**
 * Returns the tools within the input of a conversation. A tool of this request replaces an earlier
 * one of its name.
 */
function addedTools({ input, tools }: ResponseBody, before: Before): AddedTools {
  const added =
    typeof input === "string"
      ? []
      : input.flatMap((item) => (item.type === "additional_tools" ? item.tools : []));
  const names = new Set([...(tools ?? []), ...added].map(nameOf));
  return [...before.tools.filter((tool) => !names.has(nameOf(tool))), ...added];
}

/** The name that no other tool of a request may have. */
function nameOf(tool: AddedTools[number]): string {
  if (!("name" in tool)) return tool.type;
  const name = String(tool.name);
  return tool.type === "namespace" ? nameInSpace(name, "") : name;
}

/**
 * Offers the tools in the input as well. Services have no place for them in a conversation.
 * @throws Problem invalid_input
 */
function withTools(body: ResponseBody, added: AddedTools): ResponseBody {
  if (added.length === 0) return body;
  const tools = [...(body.tools ?? []), ...added];
  if (countTools(tools) > limits.apiTools)
    throw new Problem("invalid_input", { field: "tools", message: tooManyTools });
  return { ...body, tools };
}

/** The values that `include` supports. The answer names the others as dropped. */
const logprobsWish = "message.output_text.logprobs";
const included: readonly string[] = [logprobsWish, "reasoning.encrypted_content"];

/** Reasoning is always returned with a summary. */
const reasoningFields: ReadonlySet<string> = new Set(["effort", "summary"]);
const textFields: ReadonlySet<string> = new Set(["format", "verbosity"]);

/** Names log probabilities as chat completions do, which more services know. */
function logprobsOf({ include, top_logprobs: most }: ResponseBody): object {
  const isWanted = include?.includes(logprobsWish) || (most ?? 0) > 0;
  return { logprobs: isWanted || undefined, top_logprobs: isWanted ? most : undefined };
}

/**
 * Makes a request that nobody waits for: its connection may close, and its run may wait longer for
 * a slot.
 * @throws Problem invalid_input
 */
function inBackground(asking: Asking, { store }: ResponseBody): Asking {
  if (store === false)
    throw new Problem("invalid_input", { field: "background", message: sentences.api.notStored });
  return { ...asking, isBackground: true, endsWithCaller: false };
}
