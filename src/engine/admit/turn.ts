import type { Conversation, Message, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { RunPrice } from "#domain/money/prices.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { bytesPerToken, contextTokensOf } from "#domain/text/context.ts";
import type { AnswerShape } from "#providers/adapter.ts";
import { type Idempotency, insertMessage } from "#store/content/conversations.ts";
import type { Tx } from "#store/database/store.ts";
import { getInstructions } from "#store/people/projects.ts";
import type { Outbox } from "#store/runs/outbox.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";
import { bindTools, describeTools, type ToolBinding, toolsOf } from "../tools/offer.ts";
import { type Asker, admitRuns, newRun, requireValid, usableModel } from "./admission.ts";
import { readSent, type Sent } from "./context/sent.ts";
import { shapeOf, shapesAnswers } from "./context/shape.ts";
import { type ContextSize, neededTokensOf, requireRoom, sizeOfRequest } from "./context/size.ts";
import { type AnswerPrice, priceAnswer, type Words, wordsOf } from "./hold.ts";
import { addedTo, type Priced, type Routed, routeAsk } from "./route-ask.ts";

export type TurnAsk = { model: ModelRef; settings: JsonObject };

/** With the system prompt and the context that its hold was counted with: the project's instructions stand before the conversation's own. */
export type Turn = {
  model: ModelDetail;
  settings: JsonObject;
  /** The names of settings that were chosen here. */
  added?: string[];
  systemPrompt: string;
  tools: ToolBinding[];
  answerShape?: AnswerShape | undefined;
  /** The "context" message that holds. */
  context: string | undefined;
  mostMicros: number | null;
  /** Of what was asked under an alias: what is tried next. */
  routed?: Routed;
};

type Saying = {
  /** The message it goes on from; null at a conversation's beginning. */
  parentId: string | null;
  /** What is said next. */
  said: Words;
  assetIds: readonly string[];
};
/** All that is read before an answer, in a conversation that may not be there yet. */
type Reading = Saying & {
  projectId: string;
  systemPrompt: string;
  /** Definitions of tools and shapes. */
  described: readonly string[];
  sent: Sent;
};
export type Described = {
  model: ModelDetail;
  settings: JsonObject;
  tools: ToolBinding[];
  answerShape: AnswerShape | undefined;
  reading: Reading;
};
type Told = Pick<Conversation, "settings" | "systemPrompt"> & { id?: string };

/** What a model is asked next, and all that it reads with it. @throws Problem model_gone, invalid_input */
async function describeTurn(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  conversation: Told,
  ask: TurnAsk,
  saying: Saying,
): Promise<Described> {
  const model = await usableModel(deps, asker, projectId, ask.model, "chat");
  const settings = withRequiredDefaults(model.inputSchema, ask.settings);
  const instructions = await getInstructions(deps.store.read, projectId);
  const systemPrompt = [instructions, conversation.systemPrompt].filter(Boolean).join("\n\n");
  const tools =
    model.capabilities.tools === false
      ? []
      : await bindTools(deps, asker, projectId, toolsOf(conversation.settings));
  const described = tools.length > 0 ? [JSON.stringify(await describeTools(deps, tools))] : [];
  const sent = await readSent(deps.store.read, conversation.id, saying.parentId);
  const answerShape = shapeOf(deps, model, conversation.settings);
  if (answerShape) described.push(JSON.stringify(answerShape));
  return {
    model,
    settings,
    tools,
    answerShape,
    reading: { ...saying, projectId, systemPrompt, described, sent },
  };
}

/** Which model is asked, at which price: the same while a person types and when it is admitted. */
export function routeTurn<Price extends Priced>(
  deps: EngineDeps,
  { model, settings, tools, answerShape }: Described,
  priceOf: (one: ModelDetail, given: JsonObject) => Promise<Price>,
) {
  return routeAsk(deps, model, settings, {
    priceOf,
    whyUnable(one) {
      if (tools.length > 0 && one.capabilities.tools === false) return "It does not call tools.";
      return answerShape && !shapesAnswers(deps, one) ? "It answers in no shape." : null;
    },
  });
}

/** What a model is asked next, checked and priced. @throws Problem model_gone, invalid_input, context_full, storage_full */
export async function prepareTurn(
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  ask: TurnAsk,
  saying: Saying,
): Promise<Turn> {
  await refuseWhenFull(deps);
  const turn = await describeTurn(deps, asker, conversation.projectId, conversation, ask, saying);
  requireValid(turn.model, turn.settings);
  const routed = await routeTurn(deps, turn, (one, given) =>
    priceTurn(deps, asker, one, given, turn.reading),
  );
  const { tools, answerShape } = turn;
  const { systemPrompt, sent } = turn.reading;
  return {
    ...turnOf(turn.settings, routed),
    systemPrompt,
    tools,
    answerShape,
    context: sent.choice?.id,
  };
}

/** What is kept of a model and a price that were found for a turn. */
export const turnOf = (
  asked: JsonObject,
  routed: Routed,
): Pick<Turn, "model" | "settings" | "added" | "mostMicros" | "routed"> => ({
  model: routed.model,
  settings: routed.given,
  ...addedTo(asked, routed.given),
  mostMicros: routed.mostMicros,
  routed,
});

/** What an answer costs, and what it is sent with. @throws Problem context_full where it would not fit */
export async function priceTurn(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  reading: Reading,
): Promise<AnswerPrice> {
  const size =
    contextTokensOf(model, settings) === null ? undefined : await sizeOfTurn(deps, asker, reading);
  if (size) requireRoom(model, settings, size);
  return priceReading(deps, asker, model, settings, reading, size);
}

const sizeOfTurn = (
  deps: EngineDeps,
  asker: Asker,
  { said, ...reading }: Reading,
): Promise<ContextSize> =>
  sizeOfRequest(deps, asker, { ...reading, saidTokens: Math.ceil(said.bytes / bytesPerToken) });

function priceReading(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  { projectId, systemPrompt, described, sent, said, assetIds }: Reading,
  size: ContextSize | undefined,
): Promise<AnswerPrice> {
  const always = wordsOf([systemPrompt, sent.summary, ...described]);
  const all = {
    messages: always.messages + said.messages,
    characters: always.characters + said.characters,
    bytes: always.bytes + said.bytes,
  };
  return priceAnswer(deps, asker, model, {
    projectId,
    branch: sent.sent,
    said: all,
    assetIds,
    settings,
    inputTokens: size?.inputTokens,
  });
}

export type EstimateAsk = {
  projectId: string;
  /** One that is not there yet: with what it is set to. */
  conversation: Told;
  parentId: string | null;
  turn: TurnAsk;
  characters: number;
  bytes: number;
  assetIds: readonly string[];
};

/** What a request takes of its model's context; `contextTokens` null where nobody knows it. */
type ContextUse = ContextSize & {
  contextTokens: number | null;
  outputTokens: number;
  neededTokens: number;
  leftOut: number;
};

export type Foretold = { price: RunPrice; context: ContextUse };

/** What an answer will cost, and take of the context, that nobody has asked for yet. @throws Problem model_gone, invalid_input */
export async function estimateTurn(
  deps: EngineDeps,
  asker: Asker,
  ask: EstimateAsk,
): Promise<Foretold> {
  const { projectId, conversation, parentId, assetIds, characters, bytes } = ask;
  const said = { messages: 1, characters, bytes };
  const turn = await describeTurn(deps, asker, projectId, conversation, ask.turn, {
    parentId,
    said,
    assetIds,
  });
  return foretell(deps, asker, turn);
}

/** The same of a turn that is described. */
export async function foretell(deps: EngineDeps, asker: Asker, turn: Described): Promise<Foretold> {
  const size = await sizeOfTurn(deps, asker, turn.reading);
  const { model, price } = await routeTurn(deps, turn, (one, given) =>
    priceReading(deps, asker, one, given, turn.reading, size),
  );
  const contextTokens = contextTokensOf(model, turn.settings);
  const { outputTokens, likelyMicros, mostMicros } = price;
  const neededTokens = neededTokensOf(contextTokens, turn.settings);
  return {
    price: { likelyMicros, mostMicros },
    context: {
      ...size,
      contextTokens,
      outputTokens,
      neededTokens,
      leftOut: turn.reading.sent.leftOut.length,
    },
  };
}

/** An answer that is still to come, with its run, in the caller's unit. */
export async function insertAnswer(
  deps: EngineDeps,
  tx: Tx,
  outbox: Outbox,
  asker: Asker,
  ask: {
    conversation: Conversation;
    parentId: string;
    turn: Turn;
    continueFrom?: string;
    /** Instead of an answer, a summary of the branch up to `parentId`. */
    summarises?: true;
    idempotency?: Idempotency;
    at: number;
  },
): Promise<{ answer: Message; run: Run }> {
  const { conversation, turn } = ask;
  const answerId = deps.ids();
  const input: JsonObject = {
    conversationId: conversation.id,
    parentMessageId: ask.parentId,
    systemPrompt: turn.systemPrompt,
    settings: turn.settings,
    ...(turn.added && { added: turn.added }),
    ...(ask.continueFrom && { continueFrom: ask.continueFrom }),
    ...(turn.answerShape && { answerShape: turn.answerShape as unknown as JsonObject }),
    ...(turn.context && { context: turn.context }),
    ...(ask.summarises && { summarises: true }),
    ...(turn.tools.length > 0 && { tools: turn.tools }),
  };
  const run = newRun(
    deps,
    asker,
    {
      projectId: conversation.projectId,
      visibility: conversation.visibility,
      model: turn.model,
      task: "chat",
      input,
      mostMicros: turn.mostMicros,
      routed: turn.routed,
      batchId: null,
      messageId: answerId,
      idempotency: ask.idempotency,
    },
    ask.at,
  );
  const answer = await insertMessage(tx, {
    id: answerId,
    conversationId: conversation.id,
    parentId: ask.parentId,
    role: ask.summarises ? "context" : "assistant",
    state: "streaming",
    parts: [],
    runId: run.id,
    continuesId: ask.continueFrom ?? null,
    at: ask.at,
  });
  const [admitted] = await admitRuns(deps, tx, outbox, [run]);
  return { answer, run: admitted! };
}
