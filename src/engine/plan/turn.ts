import type { Conversation, ModelDetail, ModelRef } from "#contract/entities.ts";
import { withoutFileTools } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { RunPrice } from "#domain/money/prices.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { bytesPerToken, contextTokensOf } from "#domain/text/context.ts";
import type { AnswerShape } from "#providers/adapter.ts";
import { getInstructions } from "#store/people/projects.ts";
import { type Asker, usableModel } from "../connections/usable-model.ts";
import type { CountedBranch, EngineDeps } from "../deps.ts";
import { bindTools, describeTools, type ToolBinding, toolsOf } from "../tools/offer.ts";
import { requireValid } from "./checks.ts";
import { countBranch } from "./context/count.ts";
import { shapeOf, shapesAnswers } from "./context/shape.ts";
import { type ContextSize, neededTokensOf, requireRoom, sizeOfRequest } from "./context/size.ts";
import { planMerge } from "./merge.ts";
import { type AnswerPrice, priceAnswer } from "./price.ts";
import { addedTo, type Priced, type Routed, routeAsk } from "./route-ask.ts";
import { measureTexts, type TextSize } from "./text-size.ts";

export type TurnAsk = { model: ModelRef; settings: JsonObject };

/**
 * A planned answer, with the system prompt and context that its reservation is based on. The
 * project's instructions come before the conversation's own.
 */
export type Turn = {
  model: ModelDetail;
  settings: JsonObject;
  /** The names of settings that planning added. */
  added?: string[];
  systemPrompt: string;
  tools: ToolBinding[];
  answerShape?: AnswerShape | undefined;
  /** The id of the context choice that applies. */
  context: string | undefined;
  mostMicros: number | null;
  /** The route of a request under an alias, with its fallbacks. */
  routed?: Routed;
};

export type NextMessage = {
  /** The message to continue from; null at the start of a conversation. */
  parentId: string | null;
  /** The size of the next message. */
  messageSize: TextSize;
  assetIds: readonly string[];
};
/** Everything read before an answer, in a conversation that may not exist yet. */
type Reading = NextMessage & {
  projectId: string;
  systemPrompt: string;
  /** Definitions of tools and shapes. */
  described: readonly string[];
  sent: CountedBranch;
};
/** The next request to a model with everything it reads, before it is checked and priced. */
export type TurnPlan = {
  model: ModelDetail;
  settings: JsonObject;
  tools: ToolBinding[];
  answerShape: AnswerShape | undefined;
  reading: Reading;
};
type ConversationSettings = Pick<Conversation, "settings" | "systemPrompt"> & {
  id?: string;
  expiresAt?: number | null;
};

/**
 * Plans the next answer of a conversation.
 * @throws Problem invalid_input for a shape that the model doesn't support
 */
export async function planTurn(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  ask: NextMessage & {
    projectId: string;
    conversation: ConversationSettings;
    settings: JsonObject;
  },
): Promise<TurnPlan> {
  const { projectId, conversation, parentId, messageSize, assetIds } = ask;
  const settings = withRequiredDefaults(
    model.inputSchema,
    isTemporary(conversation) ? withoutFileTools(ask.settings) : ask.settings,
  );
  const instructions = await getInstructions(deps.store.read, projectId);
  const systemPrompt = [instructions, conversation.systemPrompt].filter(Boolean).join("\n\n");
  const tools =
    model.capabilities.tools === false
      ? []
      : await bindTools(deps, asker, projectId, toolsIn(conversation));
  const described = tools.length > 0 ? [JSON.stringify(await describeTools(deps, tools))] : [];
  const sent = await countBranch(deps, conversation.id, parentId);
  const answerShape = shapeOf(deps, model, conversation.settings);
  if (answerShape) described.push(JSON.stringify(answerShape));
  const reading = { parentId, messageSize, assetIds, projectId, systemPrompt, described, sent };
  return { model, settings, tools, answerShape, reading };
}

/** A temporary chat saves no files, so it has no tools that make them. */
const toolsIn = (conversation: ConversationSettings) => {
  const tools = toolsOf(conversation.settings);
  return isTemporary(conversation) ? { ...tools, models: [] } : tools;
};
const isTemporary = ({ expiresAt = null }: ConversationSettings): boolean => expiresAt !== null;

/**
 * Picks the model and its price. The estimate shown while a person types uses the same function as
 * admission.
 */
function routeTurn<Price extends Priced>(
  deps: EngineDeps,
  { model, settings, tools, answerShape }: TurnPlan,
  priceOf: (one: ModelDetail, given: JsonObject) => Promise<Price>,
) {
  return routeAsk(deps, model, settings, {
    priceOf,
    whyUnable(one) {
      if (tools.length > 0 && one.capabilities.tools === false) return sentences.chat.noTools;
      return answerShape && !shapesAnswers(deps, one) ? sentences.chat.noShape : null;
    },
  });
}

/**
 * Checks and prices the plan for admission.
 * @throws Problem model_gone, invalid_input, context_full
 */
export async function prepareTurn(deps: EngineDeps, asker: Asker, plan: TurnPlan): Promise<Turn> {
  const { settings, tools, answerShape, reading } = plan;
  requireValid(plan.model, settings);
  const routed = await routeTurn(deps, plan, (one, given) =>
    priceTurn(deps, asker, one, given, reading),
  );
  return {
    model: routed.model,
    settings: routed.given,
    ...addedTo(settings, routed.given),
    systemPrompt: reading.systemPrompt,
    tools,
    answerShape,
    context: reading.sent.choice?.id,
    mostMicros: routed.mostMicros,
    routed,
  };
}

/**
 * Prices an answer and adds its limit to the settings.
 * @throws Problem context_full if it doesn't fit
 */
async function priceTurn(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  reading: Reading,
): Promise<AnswerPrice> {
  const size =
    contextTokensOf(model, settings) === null
      ? undefined
      : await sizeOfTurn(deps, asker, model, settings, reading);
  if (size) requireRoom(model, settings, size);
  return priceReading(deps, asker, model, settings, reading, size);
}

const sizeOfTurn = (
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  { messageSize, ...reading }: Reading,
): Promise<ContextSize> =>
  sizeOfRequest(deps, asker, {
    ...reading,
    saidTokens: Math.ceil(messageSize.bytes / bytesPerToken),
    model,
    settings,
  });

function priceReading(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  { projectId, systemPrompt, described, sent, messageSize, assetIds }: Reading,
  size: ContextSize | undefined,
): Promise<AnswerPrice> {
  const always = measureTexts([systemPrompt, sent.summary, ...described]);
  const all = {
    messages: always.messages + messageSize.messages,
    characters: always.characters + messageSize.characters,
    bytes: always.bytes + messageSize.bytes,
  };
  return priceAnswer(deps, asker, model, {
    projectId,
    branch: sent,
    said: all,
    assetIds,
    settings,
    inputTokens: size?.inputTokens,
  });
}

export type EstimateAsk = {
  projectId: string;
  /** The conversation, or the settings of one that doesn't exist yet. */
  conversation: ConversationSettings;
  parentId: string | null;
  turn: TurnAsk;
  /** The answers to `parentId` to merge. */
  merges?: readonly string[] | undefined;
  characters: number;
  bytes: number;
  assetIds: readonly string[];
};

/**
 * How much of its model's context window a request uses; `contextTokens` is null if the window is
 * unknown.
 */
type ContextUse = ContextSize & {
  contextTokens: number | null;
  outputTokens: number;
  neededTokens: number;
  leftOut: number;
};

export type TurnEstimate = { price: RunPrice; context: ContextUse };

/**
 * The conversation without tools, for a merge: the answers exist, so nothing is looked up again.
 */
export const withoutTools = <C extends ConversationSettings>(conversation: C): C => {
  const { tools: _, ...settings } = conversation.settings as Record<string, unknown>;
  return { ...conversation, settings };
};

/**
 * Estimates an answer's cost and its use of the context window before it is requested.
 * @throws Problem model_gone, invalid_input
 */
export async function estimateTurn(
  deps: EngineDeps,
  asker: Asker,
  ask: EstimateAsk,
): Promise<TurnEstimate> {
  const { projectId, parentId, turn, characters, bytes, assetIds, merges } = ask;
  const model = await usableModel(deps, asker, projectId, turn.model, "chat");
  const { settings } = turn;
  const merge =
    merges && parentId && ask.conversation.id
      ? await planMerge(deps.store.read, { id: ask.conversation.id }, parentId, merges)
      : undefined;
  const conversation = merge ? withoutTools(ask.conversation) : ask.conversation;
  const messageSize = merge ? measureTexts([merge.words]) : { messages: 1, characters, bytes };
  const where = { projectId, conversation, settings, parentId, messageSize, assetIds };
  return pricePlan(deps, asker, await planTurn(deps, asker, model, where));
}

/** Prices the plan even if it doesn't fit, so that a person sees by how much. */
export async function pricePlan(
  deps: EngineDeps,
  asker: Asker,
  plan: TurnPlan,
): Promise<TurnEstimate> {
  const { reading, settings } = plan;
  const size = await sizeOfTurn(deps, asker, plan.model, settings, reading);
  const { model, price } = await routeTurn(deps, plan, (one, given) =>
    priceReading(deps, asker, one, given, reading, size),
  );
  const contextTokens = contextTokensOf(model, settings);
  const { outputTokens, likelyMicros, mostMicros } = price;
  const neededTokens = neededTokensOf(contextTokens, settings);
  const { leftOut } = reading.sent;
  return {
    price: { likelyMicros, mostMicros },
    context: { ...size, contextTokens, outputTokens, neededTokens, leftOut },
  };
}
