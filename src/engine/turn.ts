import type { Conversation, Message, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { bytesPerToken, contextTokensOf, tokensOfText, usualOutputTokens } from "#domain/context.ts";
import { withRequiredDefaults } from "#domain/input-schema.ts";
import type { Estimate } from "#domain/prices.ts";
import type { AnswerShape } from "#providers/adapter.ts";
import { type Idempotency, insertMessage } from "#store/conversations.ts";
import type { Outbox } from "#store/outbox.ts";
import { getInstructions } from "#store/projects.ts";
import type { Tx } from "#store/store.ts";
import { type Asker, admitRuns, newRun, requireValid, usableModel } from "./admission.ts";
import { type Routed, routeAsk } from "./aliases/route-ask.ts";
import { readSent, type Sent } from "./context/sent.ts";
import { shapeOf, shapesAnswers } from "./context/shape.ts";
import { type ContextSize, requireRoom, sizeOfRequest } from "./context/size.ts";
import type { EngineDeps } from "./deps.ts";
import { estimateOfAnswer, holdOfAnswer, wordsOf } from "./hold.ts";
import { refuseWhenFull } from "./room.ts";
import { bindTools, describeTools, type ToolBinding, toolsOf } from "./tools/offer.ts";

export type TurnAsk = { model: ModelRef; settings: JsonObject };

/** With the system prompt and the context that its hold was counted with: the project's instructions stand before the conversation's own. */
export type Turn = {
  model: ModelDetail;
  settings: JsonObject;
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
  texts: readonly string[];
  assetIds: readonly string[];
};

/** What a model is asked next, checked and priced. @throws Problem model_gone, invalid_input, context_full, storage_full */
export async function prepareTurn(
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  ask: TurnAsk,
  { parentId, texts, assetIds }: Saying,
): Promise<Turn> {
  const { id: conversationId, projectId } = conversation;
  await refuseWhenFull(deps);
  const model = await usableModel(deps, asker, projectId, ask.model, "chat");
  const settings = settingsOf(model, ask.settings);
  requireValid(model, settings);
  const instructions = await getInstructions(deps.store.read, projectId);
  const systemPrompt = [instructions, conversation.systemPrompt].filter(Boolean).join("\n\n");
  const tools = model.capabilities.tools === false ? [] : await bindTools(deps, asker, projectId, toolsOf(conversation.settings));
  const described = tools.length > 0 ? [JSON.stringify(await describeTools(deps, tools))] : [];
  const sent = await readSent(deps.store.read, conversationId, parentId);
  const answerShape = shapeOf(deps, model, conversation.settings);
  if (answerShape) described.push(JSON.stringify(answerShape));
  const prepared = { systemPrompt, described, sent, texts, assetIds };
  const routed = await routeAsk(deps, model, settings, {
    priceOf: (one, given) => holdOfTurn(deps, asker, projectId, { ...prepared, model: one, settings: given }),
    whyUnable(one) {
      if (tools.length > 0 && one.capabilities.tools === false) return "It does not call tools.";
      return answerShape && !shapesAnswers(deps, one) ? "It answers in no shape." : null;
    },
  });
  const { mostMicros } = routed;
  return { model: routed.model, settings: routed.given, systemPrompt, tools, answerShape, context: sent.choice?.id, mostMicros, routed };
}

type Prepared = {
  model: ModelDetail;
  settings: JsonObject;
  systemPrompt: string;
  described: readonly string[];
  sent: Sent;
  texts: readonly string[];
  assetIds: readonly string[];
};

/** @returns the most that it may cost, in micro-dollars; null where nobody knows @throws Problem context_full where it would not fit */
export async function holdOfTurn(deps: EngineDeps, asker: Asker, projectId: string, turn: Prepared): Promise<number | null> {
  const { model, settings, systemPrompt, described, sent, texts, assetIds } = turn;
  if (contextTokensOf(model, settings) !== null) {
    const saidTokens = texts.reduce((sum, text) => sum + tokensOfText(text), 0);
    requireRoom(model, settings, await sizeOfRequest(deps, asker, { projectId, sent, systemPrompt, described, saidTokens, assetIds }));
  }
  const said = wordsOf([systemPrompt, sent.summary, ...texts, ...described]);
  return holdOfAnswer(deps, asker, model, { projectId, branch: sent.sent, said, assetIds, settings });
}

const settingsOf = (model: ModelDetail, asked: JsonObject): JsonObject => {
  const maxOutputTokens = usualOutputTokens(contextTokensOf(model, asked));
  return withRequiredDefaults(model.inputSchema, { maxOutputTokens, ...asked });
};

export type EstimateAsk = {
  projectId: string;
  conversation: Conversation | undefined;
  parentId: string | null;
  turn: TurnAsk;
  characters: number;
  bytes: number;
  assetIds: readonly string[];
};

/** What a request takes of its model's context; `contextTokens` null where nobody knows it. */
export type ContextUse = ContextSize & { contextTokens: number | null; outputTokens: number; leftOut: number };

/** What an answer will cost, and take of the context, that nobody has asked for yet. @throws Problem model_gone */
export async function estimateTurn(
  deps: EngineDeps,
  asker: Asker,
  ask: EstimateAsk,
): Promise<{ price: Estimate | null; context: ContextUse }> {
  const { projectId, conversation, parentId, assetIds } = ask;
  const model = await usableModel(deps, asker, projectId, ask.turn.model, "chat");
  const settings = settingsOf(model, ask.turn.settings);
  const instructions = await getInstructions(deps.store.read, projectId);
  const systemPrompt = [instructions, conversation?.systemPrompt].filter(Boolean).join("\n\n");
  const sent = await readSent(deps.store.read, conversation?.id, parentId);
  const written = wordsOf([systemPrompt, sent.summary]);
  const said = {
    messages: written.messages + 1,
    characters: written.characters + ask.characters,
    bytes: written.bytes + ask.bytes,
  };
  const saidTokens = Math.ceil(ask.bytes / bytesPerToken);
  const size = await sizeOfRequest(deps, asker, { projectId, sent, systemPrompt, described: [], saidTokens, assetIds });
  const price = await estimateOfAnswer(deps, asker, model, { projectId, branch: sent.sent, said, assetIds, settings });
  const contextTokens = contextTokensOf(model, settings);
  return { price, context: { ...size, contextTokens, outputTokens: Number(settings.maxOutputTokens), leftOut: sent.leftOut.length } };
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
